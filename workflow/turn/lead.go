package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A lead is the orchestrator's desk.
type lead struct {
	turn    *turn
	journal *journal
}

// Say puts a line in the thread.
func (l *lead) Say(ctx context.Context, message string) (model.Result, error) {
	return l.journal.Say(ctx, message)
}

// Reply answers and rests. A report that waits for its word goes on waiting.
func (l *lead) Reply(ctx context.Context, text string) (model.Result, error) {
	if strings.TrimSpace(text) == "" {
		return wrong("reply needs a text."), nil
	}
	l.journal.say(strings.TrimSpace(text))
	return l.rest(ctx)
}

// NotForMe rests without a word.
func (l *lead) NotForMe(ctx context.Context, reason string) (model.Result, error) {
	l.turn.log.Info("not for the bot", "reason", reason)
	l.journal.put.Decisions = append(l.journal.put.Decisions, workflow.Decision{What: "not_for_me", Reason: reason})
	return l.rest(ctx)
}

// rest ends the turn where nothing more is to do until somebody writes.
func (l *lead) rest(ctx context.Context) (model.Result, error) {
	s := l.turn.Session()
	event := workflow.EventAnswer
	if approval, err := l.turn.approval(ctx); err != nil {
		return model.Result{}, err
	} else if s.Phase == workflow.PhaseExploring && s.Revision > 0 && approval == nil {
		event = workflow.EventReturn
	}
	if _, err := s.Phase.Next(event); err == nil {
		l.journal.put.Events = append(l.journal.put.Events, event)
	}
	l.journal.put.Open = no
	return model.Result{Text: "Posted. The turn ends here.", Ends: true}, nil
}

// Ask puts one question with its options, and waits.
func (l *lead) Ask(_ context.Context, q agent.Question) (model.Result, error) {
	if len(q.Options) < 2 || len(q.Options) > 4 {
		return wrong("ask needs two to four options, and one of them as recommended."), nil
	}
	var buttons []workflow.Button
	text := q.Question
	known := false
	for i, o := range q.Options {
		b := workflow.Button{ActionID: "option", Label: o, Value: store.NewToken(), Means: o}
		text += fmt.Sprintf("\n%d. %s", i+1, o)
		if o == q.Recommended {
			b.Style, known = "primary", true
			text += " (recommended)"
		}
		buttons = append(buttons, b)
	}
	if !known {
		return wrong("recommended has to be one of the options, word for word."), nil
	}
	l.journal.say(text, buttons...)
	l.journal.put.Open = no
	return model.Result{Text: "Asked. Wait for the answer.", Ends: true}, nil
}

// Delegate gives tasks to workers: only under an approval of the newest report.
func (l *lead) Delegate(ctx context.Context, list []agent.Assignment) (model.Result, error) {
	t := l.turn
	approval, err := t.approval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if approval == nil {
		return wrong("Refused: nobody has approved the newest report. Use report_root_cause and wait for the thread's word."), nil
	}
	if t.place.work == nil {
		return model.Result{}, fmt.Errorf("approved, but the session's workspace is not open")
	}
	if refused := badAssignments(list); refused != "" {
		return wrong("%s", refused), nil
	}
	tasks, err := l.tasks(ctx, list)
	if err != nil {
		return model.Result{}, err
	}
	if t.Session().Phase == workflow.PhaseExploring { // after a pause, the approval still stands
		if err := t.Record(ctx, store.Fact{Events: []workflow.Event{workflow.EventResume}}); err != nil {
			return model.Result{}, err
		}
	}
	var results []string
	for _, k := range tasks {
		if k, err = t.work(ctx, k, approval); err != nil {
			return model.Result{}, err
		}
		results = append(results, fmt.Sprintf("Task %d is %s: %s", k.Number, k.State, k.Summary))
		if attempts, err := t.Store.Attempts(ctx, k.ID); err == nil && len(attempts) > 0 && k.State == workflow.TaskDone {
			results = append(results, attempts[len(attempts)-1].Summary)
		}
	}
	if changes, err := t.place.work.Changes(ctx); err == nil {
		for _, c := range changes {
			results = append(results, c.String())
		}
	}
	return model.Result{Text: strings.Join(results, "\n") + "\nIf all is done, call finish. If not, delegate what is missing with what you learned, or ask."}, nil
}

// badAssignments says what is wrong with a list of tasks.
func badAssignments(list []agent.Assignment) string {
	if len(list) == 0 || len(list) > 10 {
		return "delegate needs one to ten tasks: {description, category, skill?, after?}."
	}
	for i, a := range list {
		if strings.TrimSpace(a.Description) == "" {
			return fmt.Sprintf("Task %d has no description.", i+1)
		}
		for _, n := range a.After {
			if n < 1 || n > i {
				return fmt.Sprintf("Task %d says it comes after task %d; after may only name earlier tasks of the list.", i+1, n)
			}
		}
	}
	return ""
}

// tasks are the rows of this call: found when the call is made again after a crash, made
// and listed in the thread the first time.
func (l *lead) tasks(ctx context.Context, list []agent.Assignment) ([]workflow.Task, error) {
	t, call := l.turn, agent.CallID(ctx)
	s := t.Session()
	found, err := t.Store.Tasks(ctx, s.ID, call)
	if err != nil || len(found) > 0 {
		return found, err
	}
	all, err := t.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	fact := store.Fact{CallID: call}
	said := "Tasks:"
	if len(list) == 1 {
		said = "Task:"
	}
	for i, a := range list {
		k := workflow.Task{Number: len(all) + i + 1, Description: a.Description, Category: workflow.Category(a.Category), Skill: a.Skill}
		for _, n := range a.After {
			k.After = append(k.After, len(all)+n)
		}
		fact.Tasks = append(fact.Tasks, k)
		said += fmt.Sprintf("\n  %d. %s %s", k.Number, k.Label(), firstLine(a.Description))
	}
	fact.Lines = t.program(said)
	if err := t.Record(ctx, fact); err != nil {
		return nil, err
	}
	return t.Store.Tasks(ctx, s.ID, call)
}
