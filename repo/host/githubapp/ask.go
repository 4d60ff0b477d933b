package githubapp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// request is one request to the API, and the repository that it is about.
type request struct {
	method, path string
	body         any
	about        string
}

const maxAnswer = 1 << 20

// ask sends a request with an assertion of the App and decodes the answer into out.
func (a *App) ask(ctx context.Context, q request, out any) error {
	var body bytes.Buffer
	if q.body != nil {
		if err := json.NewEncoder(&body).Encode(q.body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, q.method, a.api()+q.path, &body)
	if err != nil {
		return errors.New("the address of GitHub's API cannot be read; check api_url")
	}
	assertion, err := a.assertion()
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+assertion)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "bobbin")
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client().Do(req)
	if err != nil {
		return a.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return a.unreachable(ctx, err)
	case res.StatusCode/100 != 2:
		return a.refused(q, res, text, assertion)
	case json.Unmarshal(text, out) != nil:
		return a.nonsense("something that is no JSON")
	}
	return nil
}

// client returns a client that follows no redirect, so that an assertion only goes to the configured
// API. It keeps no connection open.
func client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// unreachable returns the error for a request without an answer. It contains nothing of what was sent.
func (a *App) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	e := &remote.Error{
		Reason: "GitHub's API cannot be reached for a token",
		Cure:   "Nothing is lost; it can be tried again",
		Retry:  true,
	}
	var dns *net.DNSError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		e.Reason += ": the name " + dns.Name + " is not known to the network"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Reason += ": it did not answer in time"
	case strings.Contains(err.Error(), "certificate"):
		e.Reason = "the certificate of GitHub's API is not trusted"
		e.Retry = false
		e.Cure = "Add its authority to this machine's certificates, or correct api_url"
	case errors.As(err, &op):
		e.Reason += ": " + op.Err.Error()
	}
	return e
}

func (a *App) nonsense(what string) error {
	return &remote.Error{
		Reason: "GitHub's API answered with " + what,
		Cure:   "Check api_url, and what stands between it and the bot",
		Retry:  true,
	}
}

func (a *App) suspended(about string) error {
	return &remote.Error{
		Reason: a.name() + " is suspended for " + about,
		Cure:   "An owner can unsuspend it under Settings, GitHub Apps, and the same be tried again",
	}
}

func (a *App) lacks(about string) error {
	return &remote.Error{
		Reason: a.name() + " may not write to " + about,
		Cure:   "Give it the permission Contents: Read and write, and let an owner accept that",
	}
}

// lacksPermissions returns the error for a token with permissions that the App does not have.
func (a *App) lacksPermissions(q request) error {
	asked, _ := q.body.(tokenRequest)
	if len(asked.Permissions) == 0 || asked.Permissions["contents"] == string(remote.Write) {
		return a.lacks(q.about)
	}
	may := "read this of "
	for _, level := range asked.Permissions {
		if level == string(remote.Write) {
			may = "write to "
		}
	}
	return &remote.Error{
		Reason: a.name() + " may not " + may + q.about,
		Cure: "Give it " + strings.Join(permissionNames(asked.Permissions), ", ") +
			", and let an owner accept that",
	}
}

func (a *App) clock(seen string) error {
	return &remote.Error{
		Reason: "this machine's clock and GitHub's differ: " + seen,
		Cure:   "Set the clock (NTP), and the same can be tried again",
	}
}

// refused returns the error for an answer that is a refusal.
func (a *App) refused(q request, res *http.Response, text []byte, assertion string) error {
	message := words(text, assertion)
	low := strings.ToLower(message)
	has := func(s string) bool { return strings.Contains(low, s) }
	late := skew(res, a.now())
	e := &remote.Error{After: wait(res, a.now())}
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests,
		code == http.StatusForbidden && (e.After > 0 || has("rate limit")):
		e.Reason = "GitHub has had too many requests of " + a.name()
		e.Cure = "Wait some minutes before the next try"
		e.Retry = true
		if e.After > 0 {
			e.Cure = "It asks to wait " + e.After.Round(time.Second).String() + " before the next try"
		}
	case code >= 500, code == http.StatusRequestTimeout:
		e.Reason = fmt.Sprintf("GitHub's API answered %d %s", code, http.StatusText(code))
		e.Cure = "Its trouble, most likely; the same can be tried again"
		e.Retry = true
	case code/100 == 3:
		e.Reason = "GitHub's API sends us elsewhere for " + q.about
		e.Cure = "It was renamed or moved, most likely: put its new address into the configuration"
	case code == http.StatusUnauthorized &&
		(late > backdated || late < -goodFor || has("'exp'") || has("'iat'") || has("expir")):
		return a.clock(difference(late))
	case code == http.StatusUnauthorized:
		e.Reason = "GitHub does not know " + a.name() + " by this key"
		e.Cure = "Check id and the private key under github_app: both are on the App's page, " +
			"and a key that was deleted there is no good"
	case has("suspended"):
		return a.suspended(q.about)
	case code == http.StatusNotFound && has("integration not found"):
		e.Reason = "GitHub does not know " + a.name()
		e.Cure = "Check id under github_app"
	case code == http.StatusNotFound && q.method == http.MethodPost && a.Installation != "":
		e.Reason = a.name() + " has no installation " + a.Installation
		e.Cure = "Check installation under github_app, or leave it out"
	case code == http.StatusNotFound:
		e.Reason = a.name() + " is not installed for " + q.about + ", or there is no such repository"
		e.Cure = "Install it there, and check the repository's url"
	case code == http.StatusUnprocessableEntity && has("permission"):
		return a.lacksPermissions(q)
	case code == http.StatusUnprocessableEntity:
		e.Reason = a.name() + " is installed there, but not for " + q.about
		e.Cure = "Add the repository to the installation"
	case code == http.StatusForbidden:
		e.Reason = "GitHub gives " + a.name() + " no token for " + q.about + after(message)
		e.Cure = "Check that it is installed there with the permission Contents: Read and write"
	default:
		e.Reason = fmt.Sprintf("GitHub's API answered %d %s", code, http.StatusText(code)) + after(message)
		e.Cure = "Check github_app in the configuration"
	}
	return e
}

// words returns GitHub's own message without the assertion that was sent, or "" if it is not a line for
// people.
func words(text []byte, assertion string) string {
	var answer struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &answer) != nil {
		return ""
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, answer.Message)
	if plain = strings.ReplaceAll(plain, assertion, "…"); len(plain) > 200 {
		return ""
	}
	return plain
}

func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(text, ".")
}

// skew returns how far this machine's clock is ahead of GitHub's.
func skew(res *http.Response, now time.Time) time.Duration {
	theirs, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return 0
	}
	return now.Sub(theirs)
}

func difference(late time.Duration) string {
	fine := time.Second
	if late.Abs() > 10*time.Minute {
		fine = time.Minute
	}
	switch late = late.Round(fine); {
	case late > 0:
		return "ours is " + late.String() + " ahead"
	case late < 0:
		return "ours is " + (-late).String() + " behind"
	}
	return "it takes our assertion for one out of its time"
}

const maxWait = 24 * time.Hour

// wait returns how long GitHub asks to wait: the Retry-After, or the time until its rate limit is
// reset.
func wait(res *http.Response, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(res.Header.Get("Retry-After"), 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	at, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || res.Header.Get("X-RateLimit-Remaining") != "0" || at < 0 ||
		at > now.Add(maxWait).Unix() {
		return 0
	}
	return max(0, time.Unix(at, 0).Sub(now.Add(-skew(res, now))))
}
