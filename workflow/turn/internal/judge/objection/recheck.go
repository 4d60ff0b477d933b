package objection

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// Recheck reads in Slack once more, before a push, what permits it and what was said against it with a
// reaction, since the events of an edit, a deletion or a reaction may have been lost. It records the change
// of a message, and receives a reaction as if its event had come: it is judged with the other messages. An
// error means that something could not be read: then nothing may be pushed.
func (o *Objections) Recheck(ctx context.Context, a *workflow.Approval) error {
	people, err := o.permitting(ctx, a)
	if err != nil {
		return err
	}
	for ts, p := range people {
		if err := o.recheckMessage(ctx, ts, p); err != nil {
			return err
		}
	}
	targets, err := o.Inbox().Targets(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, ts := range targets {
		if err := o.recheckReactions(ctx, ts); err != nil {
			return fmt.Errorf("the reactions to %s could not be read again before the push: %w", ts, err)
		}
	}
	return nil
}

// permitting returns who gave the approval, and who allowed a push under it, by the ts of their messages.
func (o *Objections) permitting(
	ctx context.Context, a *workflow.Approval,
) (map[string]workflow.Person, error) {
	people := map[string]workflow.Person{a.MessageTS: {ID: a.User, Name: a.UserName}}
	words, err := o.Store.Endorsements(ctx, o.Session().ID, a.Revision, "")
	if err != nil {
		return nil, err
	}
	for _, e := range words {
		people[e.MessageTS] = workflow.Person{ID: e.User, Name: e.UserName}
	}
	given, err := o.Store.GivenAllowances(ctx, a.ID)
	for _, w := range given {
		people[w.MessageTS] = workflow.Person{ID: w.User, Name: w.UserName}
	}
	return people, err
}

// recheckMessage reads the message in which p permitted something once more.
func (o *Objections) recheckMessage(ctx context.Context, ts string, p workflow.Person) error {
	m, written, err := o.Inbox().Written(ctx, ts)
	if err != nil || !written || m.User != p.ID {
		return err // pressed, or the root of a slash command
	}
	text, _, found, err := o.Slack.Reread(ctx, o.Session().ThreadOf(ts), ts)
	if err != nil {
		return errors.Join(errors.New("what permits the push could not be read again before it"), err)
	}
	if found && approval.ReadsSame(m.Text, text) {
		return nil
	}
	if m.Kind = workflow.MessageEdit; !found {
		m.Kind = workflow.MessageDelete
		text = ""
	}
	m.Text = text
	v, err := o.OfApproval(ctx, o.Words.ReadMessage(m), p)
	if err != nil || v == nil || v.Pushed || v.Pending {
		return err
	}
	if known, err := o.Store.Objected(ctx, v.Objection); err != nil || known {
		return err
	}
	o.Log.Warn("an approval was changed, and no event told it", "how", v.Objection.How, "message", ts)
	return o.Record(ctx, append(v.Parts(),
		store.Lines(o.ProgramLine(v.Text+" Nothing is pushed without a new approval.")))...)
}

// recheckReactions receives the reactions to a message that say no and were not received before.
func (o *Objections) recheckReactions(ctx context.Context, ts string) error {
	thread := o.Session().ThreadOf(ts)
	reactions, err := o.Slack.Reactions(ctx, thread, ts)
	if err != nil {
		return err
	}
	for _, r := range reactions {
		if !intent.RefusingReaction(r.Name) {
			continue
		}
		for _, user := range r.Users {
			in := workflow.IncomingEvent{
				Kind:     workflow.MessageReacted,
				ActionID: workflow.ReactionAdded,
				Value:    r.Name,
				TS:       ts,
				User:     user,
				At:       o.Store.Clock().Now(),
				EventID: strings.Join([]string{
					string(workflow.ReadAgain), thread.Channel, ts, user, r.Name,
				}, ":"),
			}
			in.Thread = workflow.Thread{Team: thread.Team, Channel: thread.Channel, TS: ts}
			if err := o.receiveMissed(ctx, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// receiveMissed receives the event of a reaction, unless it was received before.
func (o *Objections) receiveMissed(ctx context.Context, in workflow.IncomingEvent) error {
	known, err := o.Inbox().Reacted(ctx, in)
	if err != nil || known {
		return err
	}
	o.Log.Warn("a reaction says no, and no event told it", "emoji", in.Value, "message", in.TS)
	return inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, in)
}
