package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A limitError says that the session has used what it may. Whatever was under way stays as
// its rows say, and goes on from there once somebody allows more.
type limitError struct{ reached []workflow.Use }

func (e *limitError) Error() string { return "a limit is reached: " + e.used() }

func (e *limitError) used() string {
	var parts []string
	for _, u := range e.reached {
		parts = append(parts, u.String())
	}
	return strings.Join(parts, "; ")
}

// may is asked before each model call and command: it reads from the rows whether a limit
// is reached, so that it holds over restarts and over all replicas. It warns of one that
// is near. What is under way elsewhere at this moment may go beyond by that much. Limits of
// commands hold up commands only.
func (b *Budget) may(ctx context.Context, tool string) error {
	if len(b.Limits) == 0 {
		return nil
	}
	if tool != "" {
		if err := b.weigh(ctx); err != nil {
			return err
		}
	}
	uses, err := b.Uses(ctx, b.Limits)
	if err != nil {
		return err
	}
	over := reached(uses)
	if tool == "" {
		over = slices.DeleteFunc(over, func(u workflow.Use) bool { return u.Limit.OfCommands() })
	}
	if len(over) > 0 {
		return &limitError{over}
	}
	for _, u := range uses {
		if u.Near() && !u.Reached() && !u.Warned {
			text := fmt.Sprintf("Near a limit: %s. When it is reached, I pause and ask.", u)
			if err := b.Warn(ctx, u, b.program(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// slowWalk is what looking at a session's folder may take each time.
const slowWalk = 200 * time.Millisecond

// weigh puts into the rows what the session takes of this machine's disk, where that has a
// limit. Walking a large tree takes a while: no more than a twentieth of the time goes into it.
func (b *Budget) weigh(ctx context.Context) error {
	limited := func(s workflow.Span) bool { return b.Limits[workflow.LimitOf(s, workflow.Disk)] > 0 }
	if !slices.ContainsFunc(workflow.Spans, limited) {
		return nil
	}
	b.mu.Lock()
	early := time.Now().Before(b.weighAfter)
	b.mu.Unlock()
	if early {
		return nil
	}
	began := time.Now()
	bytes := disk.DiskUse(b.dir(""))
	if took := time.Since(began); took > slowWalk {
		b.mu.Lock()
		b.weighAfter = time.Now().Add(20 * took)
		b.mu.Unlock()
	}
	return b.Record(ctx, store.Usage{Disk: &bytes})
}

func reached(uses []workflow.Use) (out []workflow.Use) {
	for _, u := range uses {
		if u.Reached() {
			out = append(out, u)
		}
	}
	return out
}

// asking counts the tokens of the journal's model calls.
func (r *Runtime) asking(j *journal) func(context.Context, model.Request) (model.Response, error) {
	return func(ctx context.Context, q model.Request) (model.Response, error) {
		q.Messages = r.Attachments.pictured(ctx, q.Messages)
		answer, err := r.Model.Ask(ctx, q)
		if err == nil {
			j.add(store.Usage{Tokens: answer.Usage.Input + answer.Usage.Output})
		}
		return answer, err
	}
}

// limited pauses the session at a limit, in one line.
func (t *turn) limited(ctx context.Context, e *limitError) error {
	t.log.Info("paused at a limit", "used", e.used())
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: no, Limited: true},
		store.Decision{What: "limit", Reason: e.used()},
		store.Lines(t.program("Paused: "+e.words(t.Permissions.whoAllows(ctx)))),
	)
}

// words are what people are told: which limit, how much was used, what to do.
func (e *limitError) words(who string) string {
	text := e.used() + ". Nothing is lost."
	for _, u := range e.reached {
		if ends := u.Ends(); ends != "" {
			return fmt.Sprintf("%s Reply \"go on\" to allow as much again today, or later: %s. %s", text, ends, who)
		}
	}
	return fmt.Sprintf("%s Reply \"go on\" to allow as much again. %s", text, who)
}

// whoAllows says in words whose "go on" counts.
func (ps *Permissions) whoAllows(ctx context.Context) string {
	a, err := ps.approvers(ctx)
	if err != nil {
		r, _ := ps.Catalog.repository()
		a = r.Approvers
	}
	return a.Who()
}

// allows judges "go on" where the session rests at a limit; ok says that it did. Whoever
// may approve allows as much again. Where nothing is reached any more, since the day is
// over or somebody allowed it elsewhere, anybody lets it go on.
func (in *Intake) allows(ctx context.Context, m workflow.Message, p workflow.Person) (f []store.Part, ok bool, err error) {
	if len(in.Budget.Limits) == 0 || !intent.SaysGoOn(m.Text) {
		return f, false, nil
	}
	since, err := in.Limited(ctx)
	if err != nil || m.At.Before(since) {
		return f, false, err // it was written before, about something else
	}
	if since.IsZero() && (in.waitsForConsent() || intent.ReadConsent(m.Text).Kind != intent.ConsentNone) {
		return f, false, nil // about a report, then
	}
	uses, err := in.Uses(ctx, in.Budget.Limits)
	if err != nil {
		return f, false, err
	}
	over := reached(uses)
	if len(over) == 0 && since.IsZero() {
		return f, false, nil
	}
	if len(over) == 0 { // approved work goes on at the word of somebody who may approve
		if why, err := in.Permissions.heldBack(ctx, p); why != "" || err != nil {
			return f, false, err
		}
	}
	if len(over) > 0 {
		reason, approvers, err := in.Permissions.mayNotApprove(ctx, p)
		if err != nil {
			in.log.Warn("no more is allowed: cannot read who may", "user", p.ID, "err", err)
			reason = "Slack does not tell who may approve at this moment"
		}
		if reason != "" {
			return in.Approvals.refuse(m, p, "allow", reason, fmt.Sprintf("%s, I cannot take this as allowing more: %s. %s", p.Name, reason, approvers.Who())), true, nil
		}
	}
	return in.resumed(m, p, over, !since.IsZero()), true, nil
}

// resumed keeps what was allowed, and lets the session go on where it rested.
func (in *Intake) resumed(m workflow.Message, p workflow.Person, over []workflow.Use, rested bool) []store.Part {
	f := in.Approvals.ignore(m)
	var more []string
	for _, u := range over {
		f = append(f, store.Extension{Use: u, User: p.ID, UserName: p.Name, MessageTS: m.TS})
		more = append(more, fmt.Sprintf("%s more (%s)", u.More(), u.Limit))
	}
	said := "The limit is not reached any more; going on."
	if len(over) > 0 {
		all := strings.Join(more, ", ")
		said = fmt.Sprintf("%s allows %s.", p.Name, all)
		f = append(f, permission(m, p, workflow.PermitLimit, in.Session().Revision))
		f = append(f, store.Decision{What: "allow", Allowed: true, Reason: all, User: p.ID, MessageTS: m.TS})
	}
	f = append(f, store.Lines(in.program(said)))
	if rested {
		update := store.Update{Open: yes}
		if in.Session().Phase == workflow.PhasePaused {
			update.Events = []workflow.Event{workflow.EventResume}
		}
		f = append(f, update)
	}
	return f
}
