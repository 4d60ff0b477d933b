package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// Delegate gives tasks to workers: only under an approval of the newest report.
func (l *lead) Delegate(ctx context.Context, list []agent.Assignment) (model.Result, error) {
	approval, err := l.approval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if approval == nil {
		return wrong("Refused: nobody has approved the newest report. For a bug use report_root_cause and wait for the thread's word; for a feature restate_request comes first."), nil
	}
	if refused := l.notNow(); refused != "" {
		return wrong("%s", refused), nil
	}
	if err := l.Trees.openWork(ctx); err != nil {
		return model.Result{}, err
	}
	plan, err := l.plan(ctx, approval)
	if err != nil {
		return model.Result{}, err
	}
	if refused := badAssignments(list, plan); refused != "" {
		return wrong("%s", refused), nil
	}
	tasks, err := l.tasks(ctx, list)
	if err != nil {
		return model.Result{}, err
	}
	if err := l.toWork(ctx); err != nil {
		return model.Result{}, err
	}
	//crash:tasks_recorded
	done, err := l.Workers.runTasks(ctx, tasks, approval)
	if err != nil {
		return model.Result{}, err
	}
	//crash:tasks_worked
	return l.delegated(ctx, done)
}

// haltedWords refuse what would go on with stopped work.
const haltedWords = "Refused: somebody stopped this work, and nobody who may approve has said \"go on\" since. Answer what was written, say that \"go on\" is waited for, and wait."

// notNow says why nothing is delegated in this phase, although a word of approval stands.
func (o *Orchestrator) notNow() string {
	s := o.Session()
	switch {
	case s.Halted != "":
		return haltedWords
	case s.Phase == workflow.PhaseAligning:
		return "Refused: an interview is under way. End it with restate_request, and wait until somebody confirms it."
	case s.Phase == workflow.PhaseDiagnosing:
		return "Refused: a Diagnosis Report was asked for. Give it with report_diagnosis, and wait for the thread's word."
	case s.Workflow == workflow.CommandStartWork && o.newestKind() != reportPlan:
		return "Refused: a written plan was asked for. Write it with propose_plan, and wait for the thread's word."
	}
	return ""
}

// openWork opens the session's own tree where the approval came after the turn entered.
func (t *Trees) openWork(ctx context.Context) error {
	p := t.here()
	if p.work != nil {
		return nil
	}
	work, err := t.workspace(ctx, p)
	if err != nil {
		return err
	}
	t.mu.Lock()
	p.work = work
	t.mu.Unlock()
	return t.own(work)
}

// toWork moves the session to working from where an approval may find it.
func (o *Orchestrator) toWork(ctx context.Context) error {
	var events []workflow.Event
	switch o.Session().Phase {
	case workflow.PhaseExploring: // after a pause or an interview, the approval stands
		events = []workflow.Event{workflow.EventResume}
	case workflow.PhasePlanning:
		events = []workflow.Event{workflow.EventApprove}
	default:
		return nil
	}
	return o.Record(ctx, store.Update{Events: events})
}

// plan is the approved plan; without tasks where the approval is of something else.
func (l *Ledger) plan(ctx context.Context, a *workflow.Approval) (plan workflow.Plan, err error) {
	r, err := l.Store.Report(ctx, l.Session().ID, a.Revision)
	if err != nil || r.Kind != reportPlan {
		return plan, err
	}
	if err := json.Unmarshal(r.Body, &plan); err != nil {
		return plan, fmt.Errorf("plan: %w", err)
	}
	return plan, nil
}

// badAssignments says what is wrong with a list of tasks.
func badAssignments(list []agent.Assignment, plan workflow.Plan) string {
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
		switch n := len(plan.Tasks); {
		case n > 0 && (a.Plan < 1 || a.Plan > n):
			return fmt.Sprintf("Task %d has to name the plan's task that it is, as plan: 1 to %d.", i+1, n)
		case n == 0 && a.Plan != 0:
			return fmt.Sprintf("Task %d names a plan's task, and no plan was approved; leave plan out.", i+1)
		}
	}
	return ""
}

// tasks are the rows of this call: found when the call is made again after a crash, made
// and listed in the thread the first time.
func (l *lead) tasks(ctx context.Context, list []agent.Assignment) ([]workflow.Task, error) {
	call := agent.CallID(ctx)
	s := l.Session()
	found, err := l.Store.Tasks(ctx, s.ID, call)
	if err != nil || len(found) > 0 {
		return found, err
	}
	all, err := l.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	fact, failures := takeUp(all)
	said := "Tasks:"
	if len(list) == 1 {
		said = "Task:"
	}
	for i, a := range list {
		k := workflow.Task{
			Number: len(all) + i + 1, Description: a.Description, Category: workflow.Category(a.Category), Skill: a.Skill,
			Plan: a.Plan, Failures: failures, Apart: apart(list, i),
		}
		for _, n := range a.After {
			k.After = append(k.After, len(all)+n)
		}
		fact = append(fact, store.Task{Task: k, Call: call})
		said += fmt.Sprintf("\n  %d. %s %s", k.Number, k.Label(), firstLine(a.Description))
	}
	applies, err := l.applies(ctx)
	if err != nil {
		return nil, err
	}
	fact = append(append(fact, applies...), store.Lines(l.program(said)))
	if err := l.Record(ctx, fact...); err != nil {
		return nil, err
	}
	return l.Store.Tasks(ctx, s.ID, call)
}

// takeUp: the new tasks go on where tasks failed, and inherit how often.
func takeUp(all []workflow.Task) (dropped []store.Part, failures int) {
	for _, k := range all {
		if k.State == workflow.TaskFailed {
			failures = max(failures, k.Failures)
			k.State = workflow.TaskDropped
			dropped = append(dropped, store.Task{Task: k})
		}
	}
	return dropped, failures
}

// applies says that the consultant's recommendation after failed attempts is acted on.
func (o *Orchestrator) applies(ctx context.Context) ([]store.Part, error) {
	all, err := o.Store.Inquiries(ctx, o.Session().ID)
	if err != nil {
		return nil, err
	}
	for _, q := range slices.Backward(all) {
		var advice workflow.Advice
		if q.Applied || !strings.HasPrefix(q.Key, escalationKey) || json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
			continue
		}
		q.Applied, q.Answer = true, nil
		return []store.Part{store.Inquiry(q), store.Lines(o.program("Applying the " + o.Agents[agent.Consultant].Signature() + "'s recommendation: " + plaintext.OneLine(advice.BottomLine)))}, nil
	}
	return nil, nil
}

// apart: a task that some other one neither waits for nor leads to works in a tree of its own.
func apart(list []agent.Assignment, i int) bool {
	for j := range list {
		if j != i && !leadsTo(list, i, j) && !leadsTo(list, j, i) {
			return true
		}
	}
	return false
}

// leadsTo reports whether task b waits for task a, directly or through others.
func leadsTo(list []agent.Assignment, a, b int) bool {
	for _, n := range list[b].After {
		if n-1 == a || leadsTo(list, a, n-1) {
			return true
		}
	}
	return false
}

// delegated is what the orchestrator is told of the tasks' outcome. After the failure that
// follows a consultation, people are asked instead.
func (l *lead) delegated(ctx context.Context, done []workflow.Task) (model.Result, error) {
	if slices.ContainsFunc(done, func(k workflow.Task) bool { return k.State == workflow.TaskFailed && k.Failures > l.Workers.attempts() }) {
		return l.askWhatNow(ctx)
	}
	if nowhere, err := l.allNowhere(ctx); nowhere || err != nil {
		return l.helpless(), err
	}
	if err := l.Trees.lookAtWork(ctx, l.Trees.here()); err != nil {
		return model.Result{}, err
	}
	var results []string
	for _, k := range done {
		state, summary := string(k.State), k.Summary
		switch k.State {
		case workflow.TaskClashes:
			state = "verified, but not merged"
		case workflow.TaskDone, workflow.TaskBlocked: // the worker's own words
			summary = indented(summary)
		}
		results = append(results, fmt.Sprintf("Task %d is %s: %s", k.Number, state, summary))
		if attempts, err := l.Store.Attempts(ctx, k.ID); err == nil && len(attempts) > 0 && k.State == workflow.TaskDone {
			results = append(results, attempts[len(attempts)-1].Summary)
		}
	}
	if changes, err := l.Trees.here().work.Changes(ctx); err == nil {
		for _, c := range changes {
			results = append(results, c.String())
		}
	}
	return model.Result{Text: strings.Join(results, "\n") + "\nYour tools see the files as they are now, with this work in them. If all is done, call finish. If not, delegate what is missing with what you learned, or ask."}, nil
}

// askWhatNow puts the question to the thread, with what was tried.
func (l *lead) askWhatNow(ctx context.Context) (model.Result, error) {
	all, err := l.Store.Tasks(ctx, l.Session().ID, "")
	if err != nil {
		return model.Result{}, err
	}
	var tried []string
	for _, k := range all {
		attempts, err := l.Store.Attempts(ctx, k.ID)
		if err != nil {
			return model.Result{}, err
		}
		for _, a := range attempts {
			if !a.Held && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped) {
				tried = append(tried, fmt.Sprintf("  %d. task %d: %s", len(tried)+1, k.Number, firstLine(a.Summary)))
			}
		}
		if k.State == workflow.TaskFailed {
			k.State = workflow.TaskDropped // what comes next starts afresh
			l.journal.add(store.Task{Task: k})
		}
	}
	if err := l.putBack(ctx, all); err != nil {
		return model.Result{}, err
	}
	l.journal.say(fmt.Sprintf("%s failed, the last one with the %s's recommendation. The files are as they were before. What was tried:\n%s\nHow shall I go on? Say what I got wrong, what to try, or ask somebody who knows this code.",
		count(len(tried), "attempt"), l.Agents[agent.Consultant].Signature(), strings.Join(tried, "\n")))
	l.journal.add(store.Update{Events: []workflow.Event{workflow.EventPause}})
	l.journal.add(store.Update{Open: no})
	return model.Result{Text: "The attempts failed, the files were put back, and the thread was asked. Wait for what people say.", Ends: true}, nil
}

// putBack makes the session's files what they were before the tasks that failed one after
// the other. What was verified meanwhile stays.
func (l *lead) putBack(ctx context.Context, all []workflow.Task) error {
	start := startOfFailure(all)
	if start == "" {
		return nil
	}
	work := l.Trees.here().work
	if err := work.Restore(ctx, start); err != nil {
		return fmt.Errorf("put the files back: %w", err)
	}
	if err := l.Trees.own(work); err != nil {
		return err
	}
	s, err := l.Trees.snapshot(ctx, work, 0)
	l.journal.add(some(s)...)
	return err
}

// startOfFailure is the tree that the first of the newest failed tasks began with, of those
// that worked in the session's own tree; empty where there is none.
func startOfFailure(all []workflow.Task) (tree string) {
	for _, k := range all {
		switch {
		case k.State == workflow.TaskDone:
			tree = ""
		case tree == "" && !k.Apart && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped):
			tree = k.StartTree
		}
	}
	return tree
}
