package judge

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// judgeDeletion stops the session if its request was deleted. The deletion of an approval voids it. The
// deletion of any other message is told to the agents if they had read it.
func (j *Judge) judgeDeletion(ctx context.Context, m intent.Message) ([]store.Part, error) {
	if !j.Session().IsRoot(m.TS) {
		author := workflow.Person{ID: m.User, Name: j.PersonName(ctx, m.User)}
		if void, err := j.Objections.OfApproval(ctx, m, author); err != nil {
			return nil, err
		} else if void != nil {
			return j.Objections.Parts(ctx, m, void, "The approval was deleted. "+
				"Work may go on to its proof; nothing is pushed before an approver allows it again.")
		}
		return j.judgeDeletedWords(ctx, m)
	}
	f, err := j.stopParts(ctx, m, workflow.Person{ID: m.User}, "Stopped: the request was deleted.")
	if u, _ := ledger.Find[store.Update](f); len(u.Events) == 0 {
		// the session was stopped before, and the button of that stop stays
		f = ledger.Without[store.Lines](f)
		ledger.Change(f, func(u *store.Update) { u.Change = nil })
	}
	return f, err
}

// judgeDeletedWords tells agents that a message which they had read was deleted.
func (j *Judge) judgeDeletedWords(ctx context.Context, m intent.Message) ([]store.Part, error) {
	read, err := j.Inbox().ReadByAgents(ctx, m.TS, m.ID)
	if err != nil || !read {
		return j.Ignore(m), err
	}
	approval, err := j.StandingApproval(ctx)
	f := j.ForAgents(m,
		"A message of the thread was deleted. Do not rely on it any more, nor on what was attached to it.")
	f = append(f, inbox.Withdrawn(m.TS))
	if approval != nil || j.Session().Phase == workflow.PhaseStopped { // a deletion does not let work go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	return f, err
}

// judgeEdit takes the new text of a message as a correction, from people who may take part. It is never
// consent, whatever it says, but it can be a stop, and it can void an approval. A message that is not in the
// inbox is older than the session, and agents read it with the thread, or it was edited before it was read.
func (j *Judge) judgeEdit(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	before, err := j.Inbox().Original(ctx, m.TS, m.ID)
	if err != nil {
		return nil, err
	}
	if before == m.Text {
		return j.Ignore(m), nil
	}
	person := c.person()
	if err := get(c, &c.writer).err; err != nil {
		return nil, fmt.Errorf("read who edited: %w", err)
	}
	if addressedElsewhere(m) { // also then it is no approval any more
		void, err := j.Objections.OfApproval(ctx, m, person)
		if err != nil {
			return nil, err
		}
		if void != nil {
			return j.Objections.Parts(ctx, m, void, j.Objections.Edited(ctx, m))
		}
		return j.judgeToColleague(ctx, c)
	}
	if person.ExclusionReason() != "" {
		return append(j.Ignore(m), store.Update{ClearStop: true}), nil
	}
	if f, refused, err := j.judgeRefusingEdit(ctx, c); refused || err != nil {
		return f, err
	}
	if !c.maySpeak() {
		f, err := j.Held.HoldWords(ctx, m, person, get(c, &c.held))
		if err != nil {
			return nil, err
		}
		return j.Objections.Add(ctx, m, person, f)
	}
	f := j.ForAgents(m, j.Objections.Edited(ctx, m))
	stopped := j.Session().Phase == workflow.PhaseStopped
	approves := c.awaitsConsent() && m.Says.Consent.Consents()
	if stopped || approves { // only a new message lets the session go on
		ledger.Change(f, func(u *store.Update) { u.Open, u.Events = nil, nil })
	}
	switch { // no agent answers, and nothing else shows that it came
	case m.ActionID == workflow.ReadAgain && before == "" && (approves || stopped && m.Says.Decides()):
		f = append(f, store.Lines(j.ProgramLine(person.Name+
			": that was edited before I could read it, so it allows nothing. Please write it again.")))
	case approves:
		f = append(f, j.Tell(m, person, "an edited message approves nothing, since nobody may have read "+
			"what it says now. To approve, write it as a new message."))
	}
	if f, err = j.Objections.Add(ctx, m, person, f); err != nil {
		return f, err
	}
	return j.Held.Amend(ctx, m, person, f)
}

// judgeRefusingEdit judges an edit that stops the session, or that voids an approval. refused reports whether
// it does.
func (j *Judge) judgeRefusingEdit(
	ctx context.Context, c *Case,
) (f []store.Part, refused bool, err error) {
	m := c.Message
	p := c.person()
	void, err := j.Objections.OfApproval(ctx, m, p)
	if err != nil {
		return nil, false, err
	}
	stops := get(c, &c.stops)
	switch {
	case stops && void != nil && !void.Pushed:
		f, err = j.stopParts(ctx, m, p, "Stopped: "+void.Text)
		return append(f, void.Parts()...), true, err
	case stops:
		f, err = j.stopSession(ctx, m, p)
		return f, true, err
	case void != nil:
		f, err = j.Objections.Parts(ctx, m, void, j.Objections.Edited(ctx, m))
		return f, true, err
	}
	return nil, false, nil
}
