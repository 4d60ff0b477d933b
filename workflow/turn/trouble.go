package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// What the thread is told while a model is asked again begins with one of these.
const (
	waiting     = "The model's endpoint asks to wait"
	trying      = "The model's endpoint does not answer"
	insteadOf   = "Asking the model %s instead"
	gotNowhere  = "the worker got nowhere: "
	mostNowhere = 3 // tasks in a row whose workers got nowhere, before people are asked
)

// retrying hears that a model is asked again. People are told once of a wait that they
// would notice, and once that another model answers; the endpoint's own words are for the log.
func (r *Runtime) retrying(ctx context.Context, a model.Again) {
	r.log.Warn("model call tried again", "model", a.Model, "instead", a.Instead, "kind", a.Kind, "reason", a.Reason, "wait", a.Wait)
	if key, text := againWords(a, cmp.Or(r.Trees.Patience, 10*time.Second)); key != "" {
		r.tellOnce(ctx, key, text)
	}
}

// againWords are what people are told, by the kind of line that it is; none of a wait that
// is shorter than patience.
func againWords(a model.Again, patience time.Duration) (key, text string) {
	switch {
	case a.Instead != "":
		key = fmt.Sprintf(insteadOf, a.Instead)
		return key, fmt.Sprintf("%s: %s could not answer (%s).", key, a.Model, cmp.Or(troubles[a.Kind], string(a.Kind)))
	case a.Wait < patience:
		return "", ""
	case a.Asked:
		return waiting, fmt.Sprintf("%s %s. Nothing is lost; I go on then.", waiting, roundUp(a.Wait))
	}
	return trying, trying + " at the moment. Nothing is lost; I keep trying for a while."
}

func roundUp(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return (d + time.Second - 1).Truncate(time.Second)
}

// tellOnce says a line unless this turn said one of its kind before, or the session's
// newest line is one: a turn may be done again after a crash.
func (l *Ledger) tellOnce(ctx context.Context, key, text string) {
	l.mu.Lock()
	known := l.warned[key]
	if l.warned == nil {
		l.warned = map[string]bool{}
	}
	l.warned[key] = true
	l.mu.Unlock()
	if known {
		return
	}
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err == nil && len(said) > 0 && strings.HasPrefix(said[len(said)-1].Text, key) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.program(text)))); err != nil {
		l.log.Warn("the thread was not told of a wait", "err", err)
	}
}

// nowhere ends a task whose worker went astray; the orchestrator decides how to go on.
func (h *hand) nowhere(ctx context.Context, end agent.End) error {
	h.log.Warn("worker ended without a result", "task", h.task.Number, "end", end)
	h.task.State, h.task.Summary = workflow.TaskFailed, gotNowhere+ends[end]
	said := workflow.Line{Agent: h.journal.agent.Signature(), Text: fmt.Sprintf("Got nowhere with task %d: %s.", h.task.Number, ends[end])}
	return h.Record(ctx, store.Task{Task: h.task}, store.Lines{said})
}

// allNowhere: the newest tasks all ended because their workers went astray, so more of
// them would end no better.
func (o *Orchestrator) allNowhere(ctx context.Context) (bool, error) {
	all, err := o.Store.Tasks(ctx, o.Session().ID, "")
	if err != nil || len(all) < mostNowhere {
		return false, err
	}
	for _, k := range all[len(all)-mostNowhere:] {
		if !strings.HasPrefix(k.Summary, gotNowhere) {
			return false, nil
		}
	}
	return true, nil
}

// helpless asks people, and rests.
func (l *lead) helpless() model.Result {
	l.journal.say(fmt.Sprintf("The last %d tasks ended without a result. What was changed is kept, and nothing was pushed since. Say what to try instead, or have another model configured and reply here.", mostNowhere))
	l.journal.add(store.Update{Events: []workflow.Event{workflow.EventPause}})
	l.journal.add(store.Update{Open: no})
	return model.Result{Text: "The tasks got nowhere, and the thread was asked. Wait for what people say.", Ends: true}
}

// strand says that an agent got nowhere, and what can be done.
func (t *turn) strand(ctx context.Context, row agent.Agent, end agent.End) error {
	t.log.Warn("agent ended without a result", "agent", row.Name, "end", end)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: no},
		store.Lines(t.program("I got nowhere with this ("+ends[end]+"). Nothing was pushed since. Reply with what I should look at, or ask somebody who knows this code.")),
	)
}

var ends = map[agent.End]string{
	agent.EndSteps: "too many steps", agent.EndTime: "out of time", agent.EndSilent: "the model did not use its tools",
	agent.EndStuck: "the same step over and over", agent.EndWrong: "the model kept calling its tools wrongly",
	agent.EndMalformed: "the model kept writing calls that no tool can read", agent.EndEmpty: "the model's answers were empty",
	agent.EndCut: "the model's answers were cut short, one after another", agent.EndRefused: "the model declined to do it",
}

// modelFailed turns what people can understand into a line; what a later try may mend
// stays an error, and the queue tries again.
func (t *turn) modelFailed(ctx context.Context, err error) error {
	var failed *model.Error
	var limit *limitError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &limit):
		return t.limited(ctx, limit)
	case !errors.As(err, &failed):
		return err
	}
	t.log.Error("model call failed", "err", err)
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: no},
		store.Lines(t.program(modelWords(failed))),
	)
}

// troubles are the kinds of failure in people's words; an error of the key keeps its own.
var troubles = map[model.Kind]string{
	model.KindQuota: "no allowance is left", model.KindUnreachable: "its endpoint does not answer",
	model.KindBadAnswer: "its answers came broken", model.KindRefused: "its endpoint refuses the request",
}

// modelWords are what people are told of a model that gave no answer; the endpoint's own
// words are for the log.
func modelWords(e *model.Error) string {
	if e.Kind == model.KindOverflow {
		return "The model could not answer: this conversation is longer than it can read, even without its older parts. Nothing is lost; ask anew in another thread, or reply here once a model that reads more is configured."
	}
	words := "The model could not answer (" + cmp.Or(troubles[e.Kind], string(e.Kind)) + ")"
	if e.Hint != "" {
		words += ": " + e.Hint
	}
	return words + ". Nothing is lost; reply here to go on."
}
