package intake

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// judgeDeletion stops the session if its request was deleted. The deletion of an approval voids it. The
// deletion of any other message is told to the agents if they had read it.
func (in *Intake) judgeDeletion(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	if m.TS != in.Session().Thread.TS {
		author := workflow.Person{ID: m.User, Name: in.PersonName(ctx, m.User)}
		if void, err := in.Objections.OfApproval(ctx, m, author); err != nil {
			return nil, err
		} else if void != nil {
			return in.Objections.Parts(ctx, m, void, "The approval was deleted. Work may go on to its proof; nothing is pushed before somebody allows it anew.")
		}
		return in.judgeDeletedWords(ctx, m)
	}
	f, err := in.stopParts(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := ledger.Find[store.Update](f); len(u.Events) == 0 { // the session was stopped before, and the button of that stop stays
		f = ledger.Without[store.Lines](f)
		ledger.Change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// judgeDeletedWords tells agents that a message which they had read was deleted.
func (in *Intake) judgeDeletedWords(ctx context.Context, m workflow.Message) ([]store.Part, error) {
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

// judgeEdit takes the new text of a message as a correction, from people who may take part. It is never
// consent, whatever it says, but it can be a stop, and it can void an approval. A message that is not in the
// inbox is older than the session, and agents read it with the thread, or it was edited before it was read.
func (in *Intake) judgeEdit(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	before, err := in.Inbox().Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text {
		return in.Ignore(m), nil
	}
	if addressedElsewhere(m) {
		return in.judgeToColleague(ctx, m)
	}
	person, err := in.Slack.Person(ctx, in.Session().Thread, m.User)
	if err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if person.ExclusionReason() != "" {
		return append(in.Ignore(m), store.Update{ClearStop: true}), nil
	}
	if f, refused, err := in.judgeRefusingEdit(ctx, m, person); refused || err != nil {
		return f, err
	}
	if held, err := in.Permissions.HoldReason(ctx, person); err != nil {
		return nil, err
	} else if held != "" {
		return in.Objections.Add(ctx, m, person, in.Held.HoldWords(m, person, held))
	}
	f := in.ForAgents(m, in.Objections.Edited(ctx, m))
	if in.Session().Phase == workflow.PhaseStopped { // only a new message lets the session go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
		if m.ActionID == workflow.ReadAgain && before == "" && decides(in.Words, m.Text) { // no agent answers, and nothing else shows that it came
			f = append(f, store.Lines(in.ProgramLine(person.Name+": that was edited before I could read it, so it allows nothing. Please write it again.")))
		}
	}
	if f, err = in.Objections.Add(ctx, m, person, f); err != nil {
		return f, err
	}
	return in.Held.Amend(ctx, m, person, f)
}

// judgeRefusingEdit judges an edit that stops the session, or that voids an approval. refused reports whether
// it does.
func (in *Intake) judgeRefusingEdit(
	ctx context.Context, m workflow.Message, p workflow.Person,
) (f []store.Part, refused bool, err error) {
	void, err := in.Objections.OfApproval(ctx, m, p)
	if err != nil {
		return nil, false, err
	}
	stops, err := in.Objections.Stops(ctx, m.Text)
	switch {
	case err != nil:
		return nil, false, err
	case stops && void != nil && !void.Pushed:
		f, err = in.stopParts(ctx, m, p, "Stopped: "+void.Said)
		return append(f, void.Objection), true, err
	case stops:
		f, err = in.stopSession(ctx, m, p)
		return f, true, err
	case void != nil:
		f, err = in.Objections.Parts(ctx, m, void, in.Objections.Edited(ctx, m))
		return f, true, err
	}
	return nil, false, nil
}
