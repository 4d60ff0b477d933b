// Package tickets files issues at git hosts and trackers, posts reviews on pull requests, and adds comments
// with results to the tickets that requests named.
//
// A Filer works the pull_request jobs of package queue beside package pullrequests. The intent is a row of
// package ticket before anything is sent. The text that is sent holds the row's mark, which people do not see
// or which says nothing to them. If an earlier try may have reached the host or the tracker, the Filer looks
// for the mark there first.
package tickets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

// A Filer files issues and adds comments. Its fields are set once.
type Filer struct {
	Rows         ticket.Register
	Repositories []repository.Repository
	Trackers     []*tracker.Tracker
	Agent        string                              // the agent that signs the lines
	ThreadURL    func(thread workflow.Thread) string // URL of a thread; nil: texts have no link
	Secrets      *redact.Finder                      // masked in what goes out, and in lines
	Pace         time.Duration                       // until the next try; default 30 s
	Log          *slog.Logger

	skipLookup bool // tests only: sends without looking for what was sent before
}

// Look sends what is to be sent for the session. It returns after which time it has to be called again; zero:
// never.
func (f *Filer) Look(ctx context.Context, session string) (again time.Duration, err error) {
	rows, err := f.Rows.All(ctx, session)
	for _, row := range rows {
		if row.State != ticket.Intended {
			continue
		}
		next, failed := f.send(ctx, row)
		if next > 0 && (again == 0 || next < again) {
			again = next
		}
		err = errors.Join(err, failed)
	}
	return again, err
}

// send sends a row, or finds out that it was sent. A refusal that no retry would change is recorded and
// posted. After any other failure it returns the time until the next try.
func (f *Filer) send(ctx context.Context, row ticket.Row) (again time.Duration, err error) {
	d, err := f.destination(ctx, row)
	var filed tracker.Filed
	if err == nil {
		if wait := d.settle - time.Since(row.TriedAt); !row.TriedAt.IsZero() && wait > 0 && !f.skipLookup {
			return wait, nil // until it would be found
		}
		filed, err = f.findOrSend(ctx, row, d)
	}
	var pending *pendingError
	reason, cure, retry, after := whatFailed(err)
	switch {
	case errors.As(err, &pending):
		return f.pause(), nil
	case reason != "" && retry && ctx.Err() == nil:
		f.Log.Warn("a ticket could not be sent", "session", row.Session, "ticket", row.Key, "err", err)
		return max(after, f.pause()), nil
	case reason != "":
		return 0, f.refuse(ctx, row, reason, cure)
	case err != nil:
		return 0, err
	}
	failpoint.Crash("ticket_filed")
	now := row
	now.State = ticket.Filed
	now.Shown = filed.Shown
	now.URL = filed.URL
	parts, err := f.filedParts(ctx, row, filed)
	if err != nil {
		return 0, err
	}
	return 0, f.Rows.Change(ctx, row, now, parts...)
}

// pause returns the time until the next try after a failure that may pass.
func (f *Filer) pause() time.Duration {
	return cmp.Or(f.Pace, failpoint.Wait(failpoint.PullRequestPace, 30*time.Second))
}

// findOrSend first looks for what an earlier try may have sent, and sends it if there is nothing.
func (f *Filer) findOrSend(ctx context.Context, row ticket.Row, d destination) (tracker.Filed, error) {
	if !row.TriedAt.IsZero() && !f.skipLookup {
		if found, err := d.find(ctx, row); err != nil || found != nil {
			return deref(found), err
		}
	}
	if err := f.try(ctx, row); err != nil {
		return tracker.Filed{}, err
	}
	text, err := f.text(ctx, row)
	if err != nil {
		return tracker.Filed{}, err
	}
	row.Title = f.Secrets.Mask(row.Title)
	failpoint.Crash("ticket_tried")
	// A process that was frozen is not to send it: another one took its job over, and may have sent it.
	if err := f.try(ctx, row); err != nil && !failpoint.Disabled(failpoint.HostJob) {
		return tracker.Filed{}, err
	}
	return d.send(ctx, row, text)
}

// try records that the row is being sent. It fails if the job is not this worker's any more, or if the row is
// not to be sent any more.
func (f *Filer) try(ctx context.Context, row ticket.Row) error {
	still, err := f.Rows.Trying(ctx, row)
	if err == nil && !still {
		err = &pendingError{}
	}
	return err
}

func deref(f *tracker.Filed) tracker.Filed {
	if f == nil {
		return tracker.Filed{}
	}
	return *f
}

// A pendingError says that a row is not to be sent now: it was taken back, or something else comes first.
type pendingError struct{}

func (*pendingError) Error() string { return "it is not to be sent now" }

// whatFailed returns what a host or a tracker refused, whether it may pass, and how long to wait then.
// reason is empty for an error that is not theirs.
func whatFailed(err error) (reason, cure string, retry bool, after time.Duration) {
	var refused *remote.Error
	var wrong *tracker.Error
	switch {
	case errors.As(err, &refused):
		return refused.Reason, refused.Cure, refused.Retry, refused.After
	case errors.As(err, &wrong):
		return wrong.Reason, wrong.Cure, wrong.Retry, 0
	}
	return "", "", false, 0
}

// filedParts returns what is said and recorded of what was sent. The title may be a model's words, so the
// program does not vouch for the line that quotes it.
func (f *Filer) filedParts(ctx context.Context, row ticket.Row, filed tracker.Filed) ([]store.Part, error) {
	s, err := f.Rows.Store.Session(ctx, row.Session)
	if err != nil {
		return nil, err
	}
	rests := "This thread rests with it. A reply here goes on, and nothing is lost."
	if s.Open {
		rests = "What is under way here goes on."
	}
	said := fmt.Sprintf("Filed as %s. %s\n%s", link(filed), rests,
		plaintext.QuoteLine(plaintext.CutLine(plaintext.OneLine(row.Title), 100)))
	switch {
	case row.IsReview():
		said = fmt.Sprintf("Posted the review on %s.", link(filed))
	case row.IsComment():
		said = fmt.Sprintf("Told %s (%s) what was pushed.", link(filed), row.Place)
	}
	return []store.Part{f.line(said), consent.Decision{
		What: workflow.DecideFile, Allowed: true, Revision: row.Revision,
		Reason: fmt.Sprintf("done: %s, %s", row.Place, cmp.Or(filed.URL, filed.Shown)),
	}}, nil
}

// link returns the name of an issue, as a link to its page if that is known.
func link(filed tracker.Filed) string {
	if filed.URL == "" {
		return plaintext.CodeSpan(filed.Shown)
	}
	return "[" + filed.Shown + "](" + filed.URL + ")"
}

// refuse records that nothing was sent, and says why.
func (f *Filer) refuse(ctx context.Context, row ticket.Row, reason, cure string) error {
	reason = strings.TrimSuffix(reason, ".")
	after := row
	after.State = ticket.Refused
	after.Reason = reason
	said := fmt.Sprintf("No issue was filed at %s: %s.", row.Place, reason)
	again := ` Then reply "file it" again.`
	switch {
	case row.IsReview():
		said = fmt.Sprintf("The review was not posted on %s: %s.", row.Place, reason)
		again = ` Then reply "post it" again.`
	case row.IsComment():
		again = ""
		said = fmt.Sprintf("%s (%s) was not told what was pushed: %s.", plaintext.CodeSpan(row.Issue),
			row.Place, reason)
	}
	if cure != "" {
		said += " For my operator: " + cure + "."
	}
	said += again
	return f.Rows.Change(ctx, row, after, f.line(said), consent.Decision{
		What: workflow.DecideFile, Reason: "not done: " + reason, Revision: row.Revision,
	})
}

// line returns a line that the program says of a ticket, and vouches for.
func (f *Filer) line(text string) store.Part {
	return store.Lines{{Agent: f.Agent, Text: f.Secrets.Mask(text), Vouched: []int{0}}}
}

// repositoryOf returns the repository of that name, or nil if the configuration names none.
func (f *Filer) repositoryOf(name string) *repository.Repository {
	at := slices.IndexFunc(f.Repositories, func(r repository.Repository) bool { return r.Name == name })
	if at < 0 {
		return nil
	}
	return &f.Repositories[at]
}

// A destination is where a row is sent.
type destination struct {
	settle time.Duration // how long it may take to find what was sent
	find   func(ctx context.Context, row ticket.Row) (*tracker.Filed, error)
	send   func(ctx context.Context, row ticket.Row, text string) (tracker.Filed, error)
}

// destination returns where the row is sent, by the configuration as it is now.
func (f *Filer) destination(ctx context.Context, row ticket.Row) (destination, error) {
	if row.IsComment() {
		if err := f.afterPull(ctx, row); err != nil {
			return destination{}, err
		}
		for _, t := range f.Trackers {
			if key, ok := t.KeyOf(row.Issue); ok && t.Kind == row.Tracker && t.Comments {
				return commentAt(t, key), nil
			}
		}
		return destination{}, &tracker.Error{Reason: "the configuration allows no comments there any more"}
	}
	r := f.repositoryOf(row.Repository)
	if r == nil {
		return destination{}, &tracker.Error{
			Reason: "the configuration names no repository " + row.Repository + " any more",
		}
	}
	if row.IsReview() {
		return f.reviewOn(ctx, *r, row)
	}
	place := r.IssuePlace(f.Trackers)
	switch {
	case place.Name == "" || place.Name != row.Place:
		return destination{}, &tracker.Error{Reason: "the configuration names another place for issues now"}
	case place.Tracker != nil:
		return issueAt(place.Tracker), nil
	}
	return issueAtHost(r.Pulls), nil
}

// afterPull returns a pendingError while the pull request that a comment would name is not opened yet.
func (f *Filer) afterPull(ctx context.Context, row ticket.Row) error {
	pull, err := pullrequest.Register{Store: f.Rows.Store}.Of(ctx, row.Session)
	if err == nil && pull != nil && pull.State == pullrequest.Intended {
		return &pendingError{}
	}
	return err
}

// issueAtHost files issues at a repository's git host.
func issueAtHost(p repository.PullRequests) destination {
	named := func(i host.FiledIssue) tracker.Filed {
		return tracker.Filed{Shown: fmt.Sprint("#", i.Number), URL: i.URL}
	}
	return destination{
		find: func(ctx context.Context, row ticket.Row) (*tracker.Filed, error) {
			i, err := p.Host.FindIssue(ctx, row.Mark, row.TriedAt)
			if err != nil || i == nil {
				return nil, err
			}
			found := named(*i)
			return &found, nil
		},
		send: func(ctx context.Context, row ticket.Row, text string) (tracker.Filed, error) {
			i, err := p.Host.FileIssue(ctx, host.Title(row.Title), text+"\n\n<!-- "+row.Mark+" -->")
			return named(i), err
		},
	}
}

// issueAt files issues in a tracker.
func issueAt(t *tracker.Tracker) destination {
	return destination{
		settle: t.SettleTime(),
		find: func(ctx context.Context, row ticket.Row) (*tracker.Filed, error) {
			return t.FindFiled(ctx, row.Mark, row.TriedAt)
		},
		send: func(ctx context.Context, row ticket.Row, text string) (tracker.Filed, error) {
			return t.File(ctx, tracker.Draft{Title: host.Title(row.Title), Text: text, Mark: row.Mark})
		},
	}
}

// commentAt adds comments to an issue of a tracker.
func commentAt(t *tracker.Tracker, key tracker.Key) destination {
	told := tracker.Filed{Shown: key.Shown}
	return destination{
		find: func(ctx context.Context, row ticket.Row) (*tracker.Filed, error) {
			there, err := t.Commented(ctx, key, row.Mark)
			if err != nil || !there {
				return nil, err
			}
			return &told, nil
		},
		send: func(ctx context.Context, row ticket.Row, text string) (tracker.Filed, error) {
			return told, t.AddComment(ctx, key, tracker.Draft{Text: text, Mark: row.Mark})
		},
	}
}
