package intake

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// judgeDeletion stops the session if its request was deleted. The deletion of any other message is told
// to the agents if they had read it.
func (in *Intake) judgeDeletion(ctx context.Context, m incoming.Message) ([]store.Part, error) {
	if m.TS != in.Session().Thread.TS {
		read, err := in.Inbox().ReadByAgents(ctx, m.TS, m.ID)
		if err != nil || !read {
			return in.Ignore(m), err
		}
		approval, err := in.StandingApproval(ctx)
		f := in.ForAgents(m, "A message of the thread was deleted. Do not rely on it any more, nor on what was attached to it.")
		f = append(f, inbox.Withdrawn(m.TS))
		if approval != nil || in.Session().Phase == workflow.PhaseStopped { // a deletion does not let work go on
			ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		}
		return f, err
	}
	f, err := in.stopParts(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := ledger.Find[store.Update](f); len(u.Events) == 0 { // the session was stopped before, and the button of that stop stays
		f = ledger.Without[store.Lines](f)
		ledger.Change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// judgeEdit takes the new text of a message as a correction, from people who may take part. It is never
// consent, whatever it says. A message that is not in the inbox is older than the session, and agents read
// it with the thread, or it was edited before it was read.
func (in *Intake) judgeEdit(ctx context.Context, m incoming.Message) ([]store.Part, error) {
	before, err := in.Inbox().Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text || addressedElsewhere(m) {
		return in.Ignore(m), nil
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if permission.ExclusionReason(person) != "" {
		return in.Ignore(m), nil
	}
	if held, err := in.Permissions.HoldReason(ctx, person); err != nil {
		return nil, err
	} else if held != "" {
		return in.Held.HoldWords(m, person, held), nil
	}
	f := in.ForAgents(m, "A message of the thread was edited. It reads now:\n"+prompt.Fence("message", in.Slack.Readable(ctx, m.Text)))
	if in.Session().Phase == workflow.PhaseStopped { // only a new message lets the session go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		if m.ActionID == incoming.ReadAgain && before == "" && decides(in.Words, m.Text) { // no agent answers, and nothing else shows that it came
			f = append(f, store.Lines(in.ProgramLine(person.Name+": that was edited before I could read it, so it allows nothing. Please write it again.")))
		}
	}
	return in.Held.Amend(ctx, m, person, f)
}
