package remote

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An Error is a refusal by a remote, or a missing response, in words for people.
type Error struct {
	Op     string // such as push bobbin/x or fetch shop
	Reason string // one plain line, with the remote's own words if it sent any
	Cure   string // what a person can do about it
	Retry  bool   // the same request may work later without any change
	Err    error  // for operators; may be nil

	After time.Duration // the wait that the remote asked for; 0 if it asked for none
}

func (e *Error) Error() string {
	if e.Cure == "" {
		return e.Op + ": " + e.Reason
	}
	return e.Op + ": " + e.Reason + ". " + e.Cure
}

func (e *Error) Unwrap() error { return e.Err }

// ErrHooks is the reason why a push to a local repository is refused if there is no git program: only git
// can run the repository's hooks, so their decision is unknown.
var ErrHooks = errors.New("the repository has a hook that decides over pushes, " +
	"and only the git program can run it")

// ErrLocal marks a failure of this machine, not of the remote.
var ErrLocal = errors.New("git: this machine")

func LocalError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w failed to %s: %w", ErrLocal, what, err)
}

var (
	ErrIdle    = errors.New("the remote fell silent")
	ErrSilent  = errors.New("no answer to the push")
	ErrCutPack = errors.New("the pack ends too early")
	ErrSentBad = errors.New("a damaged pack was received")
)

type RedirectError struct{ To string }

func (r *RedirectError) Error() string { return "redirected to another host, " + r.To }

// A ProgramError is a failure of a program, with what the program printed about it.
type ProgramError struct {
	Output string
	Err    error
}

func (p *ProgramError) Error() string { return p.Output }

func (p *ProgramError) Unwrap() error { return p.Err }

// NewError turns an error of a transport into an *Error. said is what the remote printed besides the
// protocol; c is the credential that was sent, and is removed from all texts. If err already is an *Error,
// only its Op is set; if ctx was cancelled, NewError returns ctx.Err().
func NewError(ctx context.Context, op string, r Remote, c Credential, err error, output string) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		known.Op = op
		return known
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	e := &Error{Op: op, Err: err}
	e.explain(r, c, err, output)
	// e.Reason may be the remote's own words
	plain := strings.Join(strings.Fields(gittree.Printable(e.Reason)), " ")
	e.Reason = shortenText(c.HideIn(hideCredentials(plain)))
	e.Cure = c.HideIn(e.Cure)
	e.Err = c.CleanError(e.Err)
	return e
}

// A redactedError is an error whose text has no credentials.
type redactedError struct {
	error
	c Credential
}

func (r redactedError) Error() string { return r.c.HideIn(hideCredentials(r.error.Error())) }

func (r redactedError) Unwrap() error { return r.error }

// explain sets Reason, Cure, Retry and After for a transport error.
func (e *Error) explain(r Remote, c Credential, err error, output string) {
	var unexpected *plumbing.UnexpectedError // this type does not unwrap
	if errors.As(err, &unexpected) {
		err = unexpected.Err
	}
	var spoken *ProgramError
	if errors.As(err, &spoken) && output == "" {
		output = spoken.Output
	}
	err = redactedError{err, c}
	output = c.HideIn(output) // redacted before the texts are cut to a length
	if explainAccess(e, r, c, err, output) {
		return
	}
	known := []func(*Error, Remote, error, string) bool{
		explainFullDisk, explainRefusal, explainHTTP, explainTrust, explainGarbage, explainNetwork,
	}
	if !slices.ContainsFunc(known,
		func(know func(*Error, Remote, error, string) bool) bool { return know(e, r, err, output) }) {
		e.Reason = cmp.Or(firstLine(err.Error()), "the remote failed without a word")
		e.Cure = "The log has the details"
	}
}

func explainAccess(e *Error, r Remote, c Credential, err error, output string) bool {
	text := strings.ToLower(err.Error() + " " + output)
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		e.Reason = "the remote asks for a token or password"
		e.Cure = "Give the bot a token for it"
		if c.Password != "" || Redact(r.URL) != r.URL {
			e.Reason = "the remote does not accept " + cmp.Or(c.Name, "the token")
			e.Cure = "Renew it, and check that it covers this repository"
		}
		if !c.Expires.IsZero() {
			// the next try gets a new one, and some hosts accept a new one only after a moment
			e.Cure = "Check that it is installed for this repository; it can be tried again"
			e.Retry = true
		}
	case errors.Is(err, transport.ErrAuthorizationFailed):
		e.Reason = cmp.Or(c.Name, "the token") + " may not do this" + textAfterColon(plainWords(err))
		e.Cure = "Give it the right to write contents of this repository"
		if strings.HasPrefix(e.Op, "fetch") {
			e.Cure = "Give it the right to read this repository"
		}
	case errors.Is(err, transport.ErrRepositoryNotFound),
		strings.Contains(text, "does not appear to be a git repository"):
		e.Reason = "there is no such repository, or no right to see it"
		e.Cure = "Check the address " + Redact(r.URL) + " and what the credentials cover"
	case strings.Contains(text, "dubious ownership"):
		e.Reason = "the local repository belongs to another user, so git does not open it"
		e.Cure = "Run git config --global --add safe.directory " + strings.TrimPrefix(r.URL, "file://") +
			" as the bot's user"
	case errors.Is(err, ErrHooks):
		e.Reason = ErrHooks.Error()
		e.Cure = "Install git on this machine"
	case strings.Contains(text, "unable to authenticate"), strings.Contains(text, "no ssh key"):
		e.Reason = "ssh: the remote accepts none of our keys"
		e.Cure = "Add the bot's public key to the repository, or name the right key file"
	default:
		return false
	}
	return true
}

func explainRefusal(e *Error, _ Remote, err error, output string) bool {
	text := strings.ToLower(err.Error())
	words := remoteWords(output)
	switch {
	case strings.Contains(words, "exists; cannot create"):
		e.Reason = "another branch is in the way" + textAfterColon(words)
		e.Cure = "Nothing was overwritten: remove or rename that branch, and push again"
	case strings.Contains(text, "non-fast-forward"), strings.Contains(text, "fetch first"),
		strings.Contains(text, "already exists"), strings.Contains(text, "failed to update ref"),
		strings.Contains(text, "cannot lock ref"), strings.Contains(text, "reference has changed"):
		e.Reason = "the branch exists on the remote with other commits"
		e.Cure = "Nothing was overwritten: rename or merge that branch, or let the work go to a new one"
	case strings.Contains(text, "protected branch"),
		strings.Contains(strings.ToLower(words), "protected branch"):
		e.Reason = "the branch is protected on the remote" + textAfterColon(words)
		e.Cure = "Let the bot push under its prefix, or change the protection rule"
	case strings.Contains(text, "hook declined"), strings.Contains(text, "pre-receive"),
		strings.Contains(text, "declined"):
		e.Reason = "a rule of the remote refused it" + textAfterColon(words)
		e.Cure = "The work is kept: change what it asks for, or the rule, and push again"
	case strings.Contains(text, "unpack error"), strings.Contains(text, "unpacker error"):
		e.Reason = "the remote could not take in the objects" +
			textAfterColon(firstNonEmpty(words, firstLine(err.Error())))
		e.Cure = "Look at the remote's disk and log; the push can be repeated"
	case strings.Contains(text, "command error on"):
		_, why, _ := strings.Cut(err.Error(), "command error on ")
		e.Reason = "the remote refused it" + textAfterColon(firstNonEmpty(words, why))
		e.Cure = "The work is kept and can be pushed again"
	default:
		return false
	}
	return true
}

func explainHTTP(e *Error, _ Remote, err error, _ string) bool {
	var answer *githttp.Err
	if !errors.As(err, &answer) || answer.Response == nil {
		return false
	}
	code := answer.Response.StatusCode
	e.Reason = fmt.Sprintf("the remote answered %d %s", code, http.StatusText(code))
	e.After = RetryAfter(answer.Response.Header)
	e.Retry = true
	switch {
	case code == http.StatusTooManyRequests && e.After > 0:
		e.Cure = "It asks to wait " + e.After.Round(time.Second).String() + " before the next try"
	case code == http.StatusTooManyRequests:
		e.Cure = "It wants fewer requests: wait some minutes before the next try"
	case code >= 500, code == http.StatusRequestTimeout:
		e.Cure = "Its trouble, most likely; the same can be tried again"
	default:
		e.Retry = false
		e.Cure = "Check the address and the rights of the token"
	}
	return true
}

func explainTrust(e *Error, r Remote, err error, _ string) bool {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var key *knownhosts.KeyError
	var moved *RedirectError
	switch {
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		e.Reason = "the remote's certificate is not trusted: " + firstLine(err.Error())
		e.Cure = "Add its authority to this machine's certificates"
	case errors.As(err, &key) && len(key.Want) > 0:
		e.Reason = "ssh: the remote's host key is not the one that is known"
		e.Cure = "Find out why before anything else; then correct known_hosts"
	case errors.As(err, &key), strings.Contains(err.Error(), "known_hosts"):
		e.Reason = "ssh: the remote's host key is not known here"
		e.Cure = "Add it with ssh-keyscan, after checking it, to the bot's known_hosts"
	case errors.As(err, &moved):
		e.Reason = "the remote sends us to another host, " + moved.To
		e.Cure = "Put the new address of the repository into the configuration, if it is meant"
	case strings.Contains(err.Error(), "http redirect:"):
		e.Reason = "the remote sends us elsewhere, which is not followed"
		e.Cure = "Put the new address of the repository into the configuration, if it is meant"
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Reason = "the remote does not speak https there"
		e.Cure = "Check the address " + Redact(r.URL)
	default:
		return false
	}
	return true
}

func explainNetwork(e *Error, r Remote, err error, _ string) bool {
	var netErr net.Error
	var op *net.OpError
	var dns *net.DNSError
	text := err.Error() // go-git does not wrap all errors
	switch {
	case errors.As(err, &dns):
		e.Reason = "the name " + dns.Name + " is not known to the network"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled),
		strings.Contains(text, ErrIdle.Error()), strings.Contains(text, context.DeadlineExceeded.Error()),
		strings.Contains(text, context.Canceled.Error()), errors.As(err, &netErr) && netErr.Timeout():
		e.Reason = "the remote did not answer in time"
	case errors.Is(err, ErrSilent), errors.Is(err, transport.ErrEmptyUploadPackRequest),
		errors.Is(err, packp.ErrEmptyInput):
		e.Reason = "the remote broke off without an answer"
	case errors.Is(err, ErrCutPack):
		e.Reason = "the remote broke off in the middle of a pack"
	case errors.As(err, &op), strings.Contains(text, "EOF"), strings.Contains(text, "connection re"),
		strings.Contains(text, "missing flush"):
		text = firstLine(text) // the last part says what happened; the addresses before it are for the log
		e.Reason = "the remote cannot be reached or broke off: " +
			strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
	default:
		return false
	}
	e.Cure = "Nothing is lost; it can be tried again"
	e.Retry = true
	return true
}

// explainFullDisk runs before the other refusals, because the cure is the same for every write that failed.
func explainFullDisk(e *Error, _ Remote, err error, output string) bool {
	text := strings.ToLower(err.Error() + " " + output)
	for _, words := range []string{"no space left on device", "disk quota exceeded", "disk full"} {
		if strings.Contains(text, words) {
			e.Reason = "the remote's disk is full" +
				textAfterColon(firstNonEmpty(remoteWords(output), firstLine(err.Error())))
			e.Cure = "Make room there; then the same can be tried again"
			return true
		}
	}
	return false
}

// explainGarbage explains responses that are not git, such as those of sign-in pages and proxies, and
// damaged packs. A sign-in page may be gone at the next try, so it sets Retry.
func explainGarbage(e *Error, r Remote, err error, _ string) bool {
	var unexpected *packp.ErrUnexpectedData
	text := err.Error()
	switch {
	case errors.Is(err, ErrSentBad):
		e.Reason = "the remote sent a pack that is damaged or lacks something"
		e.Cure = "Run git fsck in the repository there"
		return true
	case errors.As(err, &unexpected) &&
		!strings.HasSuffix(unexpected.Msg, "EOF"), strings.Contains(text, pktline.ErrInvalidPktLen.Error()),
		strings.Contains(text, "upload-pack response: unexpected content"), strings.Contains(text,
			"malformed unpack status"):
		e.Reason = "what answers there does not speak git: most likely a sign-in or error page"
		e.Cure = "Check the address " + Redact(r.URL) + " and what stands between it and the bot"
		e.Retry = true
		return true
	}
	return false
}

// plainWords returns the text that a host sent with its status, if it is one short line for people and no
// markup.
func plainWords(err error) string {
	_, words, _ := strings.Cut(err.Error(), ": ")
	words = strings.TrimSpace(gittree.Printable(words))
	if len(words) > 200 || strings.ContainsAny(words, "\n<{") {
		return ""
	}
	return words
}

// remoteWords joins the lines that a remote printed for people into one line.
func remoteWords(output string) string {
	var words []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(gittree.Printable(line)), "remote:"))
		if line != "" {
			words = append(words, line)
		}
	}
	return shortenText(strings.Join(words, " / "))
}

func textAfterColon(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(gittree.Printable(s)), "\n")
	return shortenText(line)
}

// maxWords is the most bytes of a foreign text in a line for people.
const maxWords = 800

func shortenText(s string) string {
	return plaintext.CutBytes(strings.ToValidUTF8(s, ""), maxWords)
}
