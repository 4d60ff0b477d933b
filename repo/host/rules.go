package host

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Rules are what a host demands of the commits and the name of a branch.
type Rules struct {
	Signed    bool // each commit has a signature that the host can verify
	SignedOff bool // each message has a Signed-off-by
	Linear    bool // no commit is a merge
	Closed    bool // nobody without a special right creates or updates the branch

	Names    []Pattern // of the branch
	Messages []Pattern // of each commit
	Emails   []Pattern // of each author and committer

	// Unread is the right that the credential lacks to read all rules, in words; empty: none.
	Unread string
}

// maxPattern is how many characters of a pattern are shown.
const maxPattern = 120

// A Pattern is what a text has to be like.
type Pattern struct {
	Text string
	How  string // regex, starts_with, ends_with or contains
	Not  bool   // the text has to be unlike it
}

// Matches reports whether a text is as the pattern demands. known is false if the pattern cannot be read.
func (p Pattern) Matches(text string) (matches, known bool) {
	switch p.How {
	case "starts_with":
		matches = strings.HasPrefix(text, p.Text)
	case "ends_with":
		matches = strings.HasSuffix(text, p.Text)
	case "contains":
		matches = strings.Contains(text, p.Text)
	default:
		form, err := regexp.Compile(p.Text)
		if err != nil {
			return false, false
		}
		matches = form.MatchString(text)
	}
	return matches != p.Not, true
}

// String says what the pattern demands, after "has to".
func (p Pattern) String() string {
	verb := map[string]string{
		"starts_with": "begin with", "ends_with": "end in", "contains": "hold",
	}[p.How]
	if verb == "" {
		verb = "match"
	}
	if p.Not {
		verb = "not " + verb
	}
	return fmt.Sprintf("%s %q", verb, plaintext.SafeLine(p.Text, maxPattern))
}

// demandsSignOff reports whether only messages with a Signed-off-by match the pattern.
func (p Pattern) demandsSignOff() bool {
	return !p.Not && strings.Contains(strings.ToLower(p.Text), "signed-off-by")
}

// addMessage adds what messages have to be like.
func (r *Rules) addMessage(p Pattern) {
	if p.Text == "" {
		return
	}
	if p.demandsSignOff() {
		r.SignedOff = true
		return
	}
	r.Messages = append(r.Messages, p)
}

// A Fork is what a host says of the fork to which branches are pushed.
type Fork struct {
	Name     string // acme-bot/shop
	Of       string // the repository that it was forked from; empty: it is no fork
	IsOurs   bool   // it was forked from the repository, or from the one that this was forked from
	Writable bool   // the credential may push to it
	Archived bool
	// Wider means that people may read it who may not read the repository.
	Wider bool
}

// Why returns why nothing may be pushed to the fork, and what to do about it. Both are empty if it is in
// order.
func (f Fork) Why(repository string) (reason, cure string) {
	f.Name = plaintext.SafeLine(f.Name, maxPattern)
	f.Of = plaintext.SafeLine(f.Of, maxPattern)
	switch {
	case f.Of == "":
		return fmt.Sprintf("%s is no fork of %s", f.Name, repository),
			"fork " + repository + ", and name the fork under push_to"
	case !f.IsOurs:
		return fmt.Sprintf("%s is a fork of %s, not of %s", f.Name, f.Of, repository),
			"fork " + repository + ", and name the fork under push_to"
	case f.Wider:
		return fmt.Sprintf("%s can be read by people who may not read %s", f.Name, repository),
			"give it the visibility of " + repository
	case f.Archived:
		return f.Name + " is archived, and takes no pushes",
			"unarchive it, or name another fork under push_to"
	case !f.Writable:
		return "the credential may not push to " + f.Name,
			"give it the right to write there, or name a token that has it: push_to.token_env"
	}
	return "", ""
}

// refusesReading reports whether the host did not show something: the credential lacks the right, or this
// host does not have such a thing.
func refusesReading(err error) bool {
	return errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound)
}

// sameKey reports whether two public keys of OpenSSH are the same, whatever their comments.
func sameKey(a, b string) bool {
	one := strings.Fields(a)
	other := strings.Fields(b)
	return len(one) > 1 && len(other) > 1 && one[0] == other[0] && one[1] == other[1]
}

// knownKey reports whether a list of the account's keys holds the public key.
func knownKey(
	ctx context.Context, c *Client, path, public string, counts func(usage string) bool,
) (bool, error) {
	list, err := List[struct {
		Key   string `json:"key"`
		Usage string `json:"usage_type"`
	}](ctx, c, path)
	for _, k := range list {
		if sameKey(k.Key, public) && counts(k.Usage) {
			return true, nil
		}
	}
	return false, err
}
