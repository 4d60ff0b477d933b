package home

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
)

// maxLessons is how many lessons a home lists: the newest ones.
const maxLessons = 20

// A lessonReader is a full member who looks at the lessons, as Slack describes that person now.
type lessonReader struct {
	*Homes
	workflow.Person
	channels []string
	groups   map[string][]string // members of the groups that were read
}

// reads reports whether the person may read the lesson. A lesson on a private repository is only for
// people in one of its channels.
func (lr lessonReader) reads(l lessons.Lesson) bool {
	at := slices.IndexFunc(lr.Repositories,
		func(x repository.Repository) bool { return x.Name == l.Repository })
	return at >= 0 && (!lr.Repositories[at].Private || lr.isIn(lr.Repositories[at].Channels))
}

func (lr lessonReader) isIn(channels []string) bool {
	return slices.ContainsFunc(channels, func(c string) bool { return slices.Contains(lr.channels, c) })
}

// mayChange reports whether the person may change the lesson: a person who may approve work on the
// repository, and is in one of its channels if it has any. If the repository wants an approver other
// than the requester, the requester of the lesson's session may not.
func (lr lessonReader) mayChange(ctx context.Context, l lessons.Lesson) bool {
	at := slices.IndexFunc(lr.Repositories,
		func(x repository.Repository) bool { return x.Name == l.Repository })
	if at < 0 || !lr.reads(l) {
		return false
	}
	p := lr.Person
	p.InThread = lr.isIn(lr.Repositories[at].Channels) ||
		len(lr.Repositories[at].Channels) == 0 && len(lr.channels) > 0
	return lr.mayApprove(ctx, workflow.Session{
		Codebase:  workflow.Codebase{Repository: l.Repository},
		Requester: l.Requester,
	}, p, lr.groups)
}

// lessons returns the lessons on the repositories that the person may read, at most maxLessons.
func (h *Homes) lessons(
	ctx context.Context, p workflow.Person, channels []string,
) (list []workflow.HomeLesson, err error) {
	r := lessonReader{h, p, channels, map[string][]string{}}
	all, err := lessons.Of(ctx, h.Store.DB, "", "")
	for _, l := range all {
		if !r.reads(l) {
			continue
		}
		x := workflow.HomeLesson{
			Number:     l.ID,
			Repository: l.Repository,
			Text:       h.Secrets.Mask(l.Text),
			By:         l.Person,
			At:         l.At,
			MayChange:  r.mayChange(ctx, l),
		}
		if slices.Contains(channels, l.Channel) {
			x.Thread = workflow.Thread{Channel: l.Channel, TS: l.ThreadTS}
		}
		list = append(list, x)
	}
	return list[max(0, len(list)-maxLessons):], err
}

const (
	lessonGone = "This lesson is gone: somebody deleted it. " +
		"Close this and open the home again."
	lessonClosed = "You may not change this now: only people who may approve work on the repository, " +
		"and are in its channel, can."
)

// Form returns the form of a lesson's button, in which a person enters a new text, or no text to delete
// the lesson, or a form that begins a thread. It returns nil for any other button.
func (h *Homes) Form(
	ctx context.Context, user string, action workflow.ActionID, value string,
) (*workflow.Form, error) {
	if workflow.IsReportForm(action) {
		return h.reportForm(ctx, user, action, value)
	}
	if action != workflow.ButtonLesson {
		return nil, nil
	}
	l, late, err := h.changeable(ctx, user, value)
	if err != nil {
		return nil, err
	}
	return &workflow.Form{
		ActionID:     action,
		Value:        lessonValue(l),
		Repositories: []string{l.Repository},
		Text:         h.Secrets.Mask(l.Text),
		Late:         late,
	}, nil
}

// Submit applies what was entered in that form. late says in words why it was not applied. Submitting
// the same form twice has the effect of once.
func (h *Homes) Submit(ctx context.Context, in workflow.IncomingEvent) (late string, err error) {
	l, late, err := h.changeable(ctx, in.User, in.Value)
	if late == lessonGone && in.Text == "" {
		return "", err
	}
	if late != "" || err != nil {
		return late, err
	}
	text := h.Secrets.Mask(in.Text)
	switch {
	case len([]rune(text)) > lessons.MaxText:
		return fmt.Sprintf("A lesson has at most %d characters. "+
			"Longer text belongs in the repository's AGENTS.md.", lessons.MaxText), nil
	case text != l.Text && in.Value != lessonValue(l):
		return "Somebody has changed this meanwhile. Keep your words, " +
			"close this and open the home again.", nil
	}
	err = lessons.Correct(ctx, h.Store.DB,
		lessons.Correction{ID: l.ID, Was: l.Text, Text: text, Person: in.User, Where: "said in the App Home"})
	switch {
	case errors.Is(err, lessons.ErrNone):
		return lessonGone, nil
	case errors.Is(err, lessons.ErrChanged):
		return "Somebody has changed this meanwhile. Keep your words, " +
			"close this and open the home again.", nil
	case errors.Is(err, lessons.ErrKnown):
		return "There is a lesson that says this already.", nil
	case errors.Is(err, lessons.ErrFull):
		return fmt.Sprintf("A repository keeps at most %d lessons, and this one has that many. "+
			"Have one forgotten first.", lessons.Most), nil
	}
	return "", err
}

// changeable returns the lesson that a button or a form names, if the user may change it now; late says
// why not.
func (h *Homes) changeable(
	ctx context.Context, user, value string,
) (l lessons.Lesson, late string, err error) {
	p, err := h.Directory.Known(ctx, user)
	if err != nil {
		return l, "", fmt.Errorf("who changes a lesson: %w", err)
	}
	if p.ExclusionReason() != "" || p.Guest {
		return l, lessonClosed, nil
	}
	r := lessonReader{Homes: h, Person: p, groups: map[string][]string{}}
	if r.channels, err = h.Directory.Channels(ctx, user); err != nil {
		return l, "", fmt.Errorf("who changes a lesson: %w", err)
	}
	number, _, _ := strings.Cut(value, ":")
	all, err := lessons.Of(ctx, h.Store.DB, "", "")
	at := slices.IndexFunc(all, func(l lessons.Lesson) bool { return strconv.FormatInt(l.ID, 10) == number })
	switch {
	case err != nil:
		return l, "", err
	case at < 0:
		return l, lessonGone, nil
	case !r.mayChange(ctx, all[at]):
		return l, lessonClosed, nil
	}
	return all[at], "", nil
}

// lessonValue returns the value that names a lesson in its current text.
func lessonValue(l lessons.Lesson) string {
	sum := sha256.Sum256([]byte(l.Text))
	return strconv.FormatInt(l.ID, 10) + ":" + hex.EncodeToString(sum[:8])
}
