package home

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// Access holds what a person may see of a session outside its thread.
type Access struct {
	Session workflow.Session
	Person  workflow.Person
	Refused string // why the person may see nothing of it, in words; empty: the person may
	Code    bool   // the person may also see code, paths and what tools printed
}

// Access returns what the user may see of a session now. A person who may read its channel may see it,
// but a guest sees no code of a session that is, or was, about a repository that is closed to guests. Slack
// is asked each time, and if it does not answer, access is refused.
func (h *Homes) Access(ctx context.Context, user, session string) (a Access, err error) {
	a.Session, err = h.Store.Session(ctx, session)
	switch {
	case errors.Is(err, store.ErrNoSession):
		a.Refused = "There is no such session, or it was removed."
		return a, nil
	case err != nil:
		return a, fmt.Errorf("session %s: %w", session, err)
	}
	a.Session = h.Masked(a.Session)
	if a.Person, a.Refused = h.Visitor(ctx, user); a.Refused != "" {
		return a, nil
	}
	closed := func(name string) bool { return repository.Closed(h.Repositories, name) }
	a.Refused = "Slack does not tell whether you may read this session's channel. Try again in a moment."
	there, err := h.reads(ctx, user, a.Session)
	switch {
	case err != nil:
		h.Log.Warn("a session is not shown: Slack does not tell which channels somebody is in",
			"user", user, "err", err)
	case !there:
		a.Refused = "This session is in a channel that you are not in. Join the channel, " +
			"and load this page again."
	default:
		a.Refused = ""
		a.Code = !a.Person.Guest ||
			!slices.ContainsFunc(append(a.Session.Before, a.Session.Repository), closed)
	}
	return a, nil
}

// Visitor returns who the user is now, and in words why that person may see no session at all;
// empty: the person may see some.
func (h *Homes) Visitor(ctx context.Context, user string) (p workflow.Person, refused string) {
	if p, refused = h.identify(ctx, user); refused == "" && p.ExclusionReason() != "" {
		refused = "Only people of this workspace may look at sessions."
	}
	return p, refused
}

// identify returns who the user is now, or in words that Slack does not tell.
func (h *Homes) identify(ctx context.Context, user string) (p workflow.Person, unknown string) {
	p, err := h.Directory.Known(ctx, user)
	if err != nil {
		h.Log.Warn("nothing is shown: Slack does not tell who asks", "user", user, "err", err)
		return p, "Slack does not tell who you are. Try again in a moment."
	}
	return p, ""
}

// reads reports whether the user is in the session's channel. A direct message is readable by the
// session's requester only.
func (h *Homes) reads(ctx context.Context, user string, s workflow.Session) (bool, error) {
	if strings.HasPrefix(s.Thread.Channel, "D") {
		return user == s.Requester, nil
	}
	channels, err := h.Directory.Channels(ctx, user)
	return slices.Contains(channels, s.Thread.Channel), err
}

// ReadableFrom reports whether everybody who reads the thread may see the session, as Access decides
// for each of them: the session is in the same channel, or everybody in the thread's channel is a full
// member and in the session's channel, too. Bots are ignored. If Slack does not answer, it returns
// false and an error.
func (h *Homes) ReadableFrom(ctx context.Context, where workflow.Thread, session string) (bool, error) {
	s, err := h.Store.Session(ctx, session)
	switch {
	case errors.Is(err, store.ErrNoSession):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("session %s: %w", session, err)
	case s.Thread.Team == where.Team && s.Thread.Channel == where.Channel:
		return true, nil
	case strings.HasPrefix(s.Thread.Channel, "D"):
		return false, nil // a direct message of one person, who may not want others to read it
	}
	if outsiders, err := h.Directory.Outsiders(ctx, where.Channel); outsiders || err != nil {
		return false, err
	}
	readers, err := h.Directory.Members(ctx, where.Channel)
	if err != nil {
		return false, err
	}
	there, err := h.Directory.Members(ctx, s.Thread.Channel)
	if err != nil {
		return false, err
	}
	for _, user := range readers {
		if slices.Contains(there, user) {
			continue
		}
		if p, err := h.Directory.Known(ctx, user); err != nil || !p.Bot {
			return false, err
		}
	}
	return true, nil
}

// Permalink returns the URL of a thread.
func (h *Homes) Permalink(t workflow.Thread) string { return t.Permalink(h.WorkspaceURL) }
