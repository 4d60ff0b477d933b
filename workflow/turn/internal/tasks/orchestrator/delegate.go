package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/worker"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// delegationRefusal returns why nothing can be delegated in this phase even though an approval stands,
// or an empty string.
func (o *Orchestrator) delegationRefusal() string {
	s := o.Session()
	switch {
	case s.Halted != "":
		return prompt.HaltedRefusal
	case s.Phase == workflow.PhaseAligning:
		return "Refused: an interview is under way. End it with restate_request, " +
			"and wait until somebody confirms it."
	case s.Phase == workflow.PhaseDiagnosing:
		return "Refused: a Diagnosis Report was asked for. Give it with report_diagnosis, " +
			"and wait for the thread's word."
	case s.Workflow == workflow.CommandStartWork && s.ReportKind != workflow.ReportPlan:
		return "Refused: a written plan was asked for. Write it with propose_plan, " +
			"and wait for the thread's word."
	}
	return ""
}

// enterWorking moves the session to the phase of working from the phases in which an approval may stand.
func (o *Orchestrator) enterWorking(ctx context.Context) error {
	var events []workflow.Event
	switch o.Session().Phase {
	case workflow.PhaseExploring: // after a pause or an interview, the approval still stands
		events = []workflow.Event{workflow.EventResume}
	case workflow.PhasePlanning:
		events = []workflow.Event{workflow.EventApprove}
	default:
		return nil
	}
	return o.Record(ctx, store.Update{Events: events})
}

// badAssignments returns what is wrong with a list of tasks, or an empty string.
func badAssignments(list []decision.Assignment, plan workflow.Plan) string {
	if len(list) == 0 || len(list) > 10 {
		return "delegate needs one to ten tasks: {description, category, skill?, after?}."
	}
	for i, a := range list {
		if strings.TrimSpace(a.Description) == "" {
			return fmt.Sprintf("Task %d has no description.", i+1)
		}
		for _, n := range a.After {
			if n < 1 || n > i {
				return fmt.Sprintf("Task %d says it comes after task %d; "+
					"after may only name earlier tasks of the list.", i+1, n)
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

// dropFailedTasks drops the failed tasks, which the new tasks of that revision replace. Those of the same
// revision are takenUp: the new tasks inherit their highest number of failures. What failed under an earlier
// revision tried something else.
func dropFailedTasks(
	all []workflow.Task, revision int,
) (dropped []store.Part, takenUp []workflow.Task, failures int) {
	for _, k := range all {
		if k.State != workflow.TaskFailed {
			continue
		}
		if k.Revision == revision {
			failures = max(failures, k.Failures)
			takenUp = append(takenUp, k)
		}
		k.State = workflow.TaskDropped
		dropped = append(dropped, progress.Task{Task: k})
	}
	return dropped, takenUp, failures
}

// applyAdvice returns the parts that mark the consultant's recommendation after failed attempts at those
// tasks as applied and say so in the thread, or nil if there is no open recommendation.
func (o *Orchestrator) applyAdvice(ctx context.Context, takenUp []workflow.Task) ([]store.Part, error) {
	all, err := o.Store.Inquiries(ctx, o.Session().ID)
	if err != nil {
		return nil, err
	}
	q, advice, ok := openAdvice(all, takenUp)
	if !ok {
		return nil, nil
	}
	q.Applied = true
	q.Answer = nil
	said := fmt.Sprintf("Applying the %s's recommendation: %s",
		o.Agents[agent.Consultant].Signature(), plaintext.QuoteLine(o.Headline(advice.BottomLine)))
	return []store.Part{progress.Inquiry(q), store.Lines(o.ProgramLine(said))}, nil
}

// openAdvice returns the newest recommendation after failed attempts at those tasks that was not applied.
func openAdvice(
	all []workflow.Inquiry, tasks []workflow.Task,
) (q workflow.Inquiry, advice workflow.Advice, ok bool) {
	for _, q := range slices.Backward(all) {
		var advice workflow.Advice
		if q.Applied || json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
			continue
		}
		if slices.ContainsFunc(tasks, func(k workflow.Task) bool { return q.Key == worker.EscalationOf(k) }) {
			return q, advice, true
		}
	}
	return q, advice, false
}

// apart reports whether task i works in a fork: some other task of the list neither waits for it nor is
// waited for by it, so both may run in parallel.
func apart(list []decision.Assignment, i int) bool {
	for j := range list {
		if j != i && !leadsTo(list, i, j) && !leadsTo(list, j, i) {
			return true
		}
	}
	return false
}

// leadsTo reports whether task b waits for task a, directly or through others.
func leadsTo(list []decision.Assignment, a, b int) bool {
	for _, n := range list[b].After {
		if n-1 == a || leadsTo(list, a, n-1) {
			return true
		}
	}
	return false
}

// startOfFailure returns the tree that the first of the newest failed tasks began with, among those that
// worked in the session's own workspace. It returns an empty string if there is none. below is set if a
// task was verified after one that failed there, so that its files hold what that one changed.
func startOfFailure(all []workflow.Task) (tree string, below bool) {
	for _, k := range all {
		switch {
		case k.State == workflow.TaskDone:
			tree, below = "", below || tree != ""
		case tree == "" && !k.Apart && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped):
			tree = k.StartTree
		}
	}
	return tree, below
}

// allGotNowhere reports whether the newest tasks, runtime.MaxTasksWithoutProgress of them, all ended because
// their workers made no progress. More tasks would then end no better.
func (o *Orchestrator) allGotNowhere(ctx context.Context) (bool, error) {
	all, err := o.Store.Tasks(ctx, o.Session().ID, "")
	if err != nil || len(all) < runtime.MaxTasksWithoutProgress {
		return false, err
	}
	for _, k := range all[len(all)-runtime.MaxTasksWithoutProgress:] {
		if !strings.HasPrefix(k.Summary, runtime.NoProgressPrefix) {
			return false, nil
		}
	}
	return true, nil
}

// giveUpTasks asks people how to go on, and pauses the session.
func (l *Tools) giveUpTasks() model.Result {
	return ledger.WithParts(model.Result{
		Text: "The tasks got nowhere, and the thread was asked. Wait for what people say.",
		Ends: true,
	},
		store.Lines(l.ProgramLine(fmt.Sprintf("The last %d tasks ended without a result. "+
			"What was changed is kept, and nothing was pushed since. Say what to try instead, "+
			"or have another model configured and reply here.", runtime.MaxTasksWithoutProgress))),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
}

// Delegate runs tasks by workers and returns their results. It is refused without an approval of the
// newest report.
func (l *Tools) Delegate(ctx context.Context, list []decision.Assignment) (model.Result, error) {
	approval, err := l.StandingApproval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if approval == nil {
		missing, err := l.MissingApproval(ctx)
		return prompt.Wrong("%s", missing), err
	}
	if refused := l.delegationRefusal(); refused != "" {
		return prompt.Wrong("%s", refused), nil
	}
	var categories []string
	for _, a := range list {
		categories = append(categories, a.Category)
	}
	refused, err := l.Delivery.RefuseForMerge(ctx, approval, categories)
	if refused != "" || err != nil {
		return prompt.Wrong("%s", refused), err
	}
	if err := l.Delivery.RefuseGone(ctx); err != nil {
		return prompt.Refused(err)
	}
	if err := l.Trees.OpenWork(ctx); err != nil {
		return model.Result{}, err
	}
	if err := l.Delivery.Scope.RestoreRemovals(ctx, l.Trees.Current().Work, nil); err != nil {
		return model.Result{}, err
	}
	plan, err := l.ApprovedPlan(ctx, approval)
	if err != nil {
		return model.Result{}, err
	}
	if refused := badAssignments(list, plan); refused != "" {
		return prompt.Wrong("%s", refused), nil
	}
	tasks, err := l.ensureTasks(ctx, list, approval.Revision)
	if err != nil {
		return prompt.Refused(err)
	}
	if err := l.enterWorking(ctx); err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("tasks_recorded")
	done, err := l.Workers.RunTasks(ctx, tasks, approval)
	if err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("tasks_worked")
	return l.delegationResult(ctx, done)
}

// ensureTasks returns the rows of the tasks of this tool call. The first time it inserts them and lists
// them in the thread, unless their words are refused; when the call is repeated after a crash it finds them.
func (l *Tools) ensureTasks(
	ctx context.Context, list []decision.Assignment, revision int,
) (tasks []workflow.Task, err error) {
	call := agent.CallID(ctx)
	s := l.Session()
	found, err := l.Store.Tasks(ctx, s.ID, call)
	if err != nil || len(found) > 0 {
		return found, err
	}
	if _, err := l.checkAsserted(ctx, assignedWords(list)); err != nil {
		return nil, err
	}
	all, err := l.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	parts, takenUp, failures := dropFailedTasks(all, revision)
	said := "Tasks:"
	if len(list) == 1 {
		said = "Task:"
	}
	for i, a := range list {
		k := workflow.Task{
			Number:      len(all) + i + 1,
			Description: a.Description,
			DisplayText: l.heading(a),
			Category:    workflow.Category(a.Category),
			Skill:       a.Skill,
			Plan:        a.Plan,
			Revision:    revision,
			Failures:    failures,
			Apart:       apart(list, i),
		}
		for _, n := range a.After {
			k.After = append(k.After, len(all)+n)
		}
		parts = append(parts, progress.Task{Task: k, Call: call})
		said += fmt.Sprintf("\n  %d. %s %s", k.Number, k.Label(), k.DisplayText)
	}
	applies, err := l.applyAdvice(ctx, takenUp)
	if err != nil {
		return nil, err
	}
	parts = append(parts, applies...)
	if !l.Store.Cards { // otherwise the card of the run lists its tasks
		parts = append(parts, store.Lines(l.ProgressLine(said)))
	}
	if err := l.Record(ctx, parts...); err != nil {
		return nil, err
	}
	return l.Store.Tasks(ctx, s.ID, call)
}

// assignedWords returns what a list of tasks says.
func assignedWords(list []decision.Assignment) string {
	var words []string
	for _, a := range list {
		words = append(words, a.Title, a.Description)
	}
	return strings.Join(words, "\n")
}

// maxShownDiff is how many bytes of the work's diff the orchestrator is shown when tasks end. Of the
// rest it is told the files.
const maxShownDiff = 8 << 10

// heading returns an assignment as people are shown it, below the program's words. Claims are left out.
func (l *Tools) heading(a decision.Assignment) string {
	t := workflow.PlannedTask{Description: l.Headline(a.Description)}
	if !plaintext.Blank(a.Title) {
		t.Title = l.Headline(a.Title)
	}
	return t.Heading()
}

// delegationResult returns what the orchestrator is told of the tasks' results. If an attempt failed
// after the consultant's recommendation, people are asked instead.
func (l *Tools) delegationResult(ctx context.Context, done []workflow.Task) (model.Result, error) {
	if slices.ContainsFunc(done, func(k workflow.Task) bool {
		return k.State == workflow.TaskFailed && k.Failures > l.Workers.MaxAttempts()
	}) {
		return l.askWhatNow(ctx)
	}
	if nowhere, err := l.allGotNowhere(ctx); nowhere || err != nil {
		return l.giveUpTasks(), err
	}
	if err := l.Trees.RefreshCopy(ctx, l.Trees.Current()); err != nil {
		return model.Result{}, err
	}
	var results []string
	for _, k := range done {
		state := string(k.State)
		summary := k.Summary
		switch k.State {
		case workflow.TaskClashes:
			state = "verified, but not merged"
		case workflow.TaskDone, workflow.TaskBlocked: // the summary is the worker's own text
			summary = prompt.Indent(summary)
		}
		results = append(results, fmt.Sprintf("Task %d is %s: %s", k.Number, state, summary))
		attempts, err := l.Store.Attempts(ctx, k.ID)
		if err != nil {
			return model.Result{}, err
		}
		if len(attempts) > 0 && k.State == workflow.TaskDone {
			results = append(results, attempts[len(attempts)-1].Summary)
		}
	}
	taken, err := l.Store.Removals(ctx, l.Session().ID)
	if err != nil {
		return model.Result{}, err
	}
	for _, r := range taken {
		if i := slices.IndexFunc(done, func(k workflow.Task) bool { return k.ID == r.Task }); i >= 0 {
			results = append(results, fmt.Sprintf("Of task %d: %s", done[i].Number, prompt.TakenOut(r)))
		}
	}
	if diff, err := tool.ShowDiff(ctx, l.Trees.Current().Work, "", maxShownDiff); err == nil && diff != "" {
		results = append(results, "The whole change so far:", prompt.Fence("diff", diff))
	}
	p := l.Trees.Current()
	return model.Result{
		Text: strings.Join(append(results, nextStep(done, p.Unprovable(), p.Repository.CIProof())), "\n"),
	}, nil
}

// nextStep returns what the orchestrator may do after the tasks have ended. If nothing can be proven
// here, for the reason in unprovable, a task that ended without a result did not fail. ci is what CI can
// prove then.
func nextStep(done []workflow.Task, unprovable string, ci workflow.CIProof) string {
	const seen = "Your tools see the files as they are now, with this work in them. "
	any := func(state workflow.TaskState) bool {
		return slices.ContainsFunc(done, func(k workflow.Task) bool { return k.State == state })
	}
	if unprovable == "" || !any(workflow.TaskBlocked) {
		switch {
		case any(workflow.TaskFailed):
			return seen + "Not all is done. finish holds the whole change to the same proof: " +
				"unless the files change, it is refused for the same reason. " +
				"Delegate what is missing with what you learned, or ask."
		case any(workflow.TaskBlocked):
			return seen + "A task was blocked, and its change was not proven. If what was approved is in " +
				"the files, call finish: it proves the whole change, and asks the thread where that cannot " +
				"be. If not, delegate what is missing with what you learned, or ask."
		}
		return seen +
			"If all is done, call finish. If not, delegate what is missing with what you learned, or ask."
	}
	text := unprovable + " A task that is blocked by that alone did not fail: " +
		"nothing speaks against its change, or for it, and the same work again would prove no more."
	for _, k := range done {
		if k.State == workflow.TaskBlocked && k.Apart && k.StartTree != "" {
			text += fmt.Sprintf(" Task %d worked in a tree of its own, and its change is not in the files: "+
				"to have it, delegate it alone.", k.Number)
		}
	}
	byCI := ""
	if ci != workflow.CINone {
		byCI = ", or to have CI prove it"
	}
	return text + " " +
		seen + "Delegate what was not begun, a task a call. When all is there, call finish, " +
		"which asks the thread whether to push it unproven" + byCI +
		"; or blocked, to have what is missing fixed first."
}

// askWhatNow asks the thread how to go on, lists what was tried, and restores the files.
func (l *Tools) askWhatNow(ctx context.Context) (model.Result, error) {
	all, err := l.Store.Tasks(ctx, l.Session().ID, "")
	if err != nil {
		return model.Result{}, err
	}
	var tried []string
	var written []store.Part
	for _, k := range all {
		attempts, err := l.Store.Attempts(ctx, k.ID)
		if err != nil {
			return model.Result{}, err
		}
		for _, a := range attempts {
			if !a.Held && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped) {
				tried = append(tried,
					fmt.Sprintf("  %d. task %d: %s", len(tried)+1, k.Number, prompt.FirstLine(a.Summary)))
			}
		}
		if k.State == workflow.TaskFailed {
			k.State = workflow.TaskDropped // the next tasks start with no failures
			written = append(written, progress.Task{Task: k})
		}
	}
	start, below := startOfFailure(all)
	restored, err := l.restoreFiles(ctx, start)
	if err != nil {
		return model.Result{}, err
	}
	said, told := "The files are as they were before.", "the files were put back"
	if below {
		said = "The files are as the last verified task left them, " +
			"and may still hold what was tried before it."
		told = "the files are as the last verified task left them, with what was tried before it"
	}
	written = append(append(written, restored...), store.Lines(l.ProgramLine(fmt.Sprintf(
		"%s failed, the last one with the %s's recommendation. %s What was tried:\n%s\n"+
			"How shall I go on? Say what I got wrong, what to try, or ask somebody who knows this code.",
		plaintext.CountNoun(len(tried), "attempt"),
		l.Agents[agent.Consultant].Signature(),
		said,
		strings.Join(tried, "\n"),
	))),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
	return ledger.WithParts(model.Result{
		Text: "The attempts failed, " + told + ", and the thread was asked. Wait for what people say.",
		Ends: true,
	}, written...), nil
}

// restoreFiles restores the session's files to their state before the first of the tasks that failed in
// a row, the tree start. Verified changes stay.
func (l *Tools) restoreFiles(ctx context.Context, start string) ([]store.Part, error) {
	if start == "" {
		return nil, nil
	}
	work := l.Trees.Current().Work
	if err := work.Restore(ctx, start); err != nil {
		return nil, fmt.Errorf("put the files back: %w", err)
	}
	if err := l.Trees.LetCommandsWrite(work); err != nil {
		return nil, err
	}
	s, err := l.Trees.Snapshot(ctx, work, 0)
	return worktree.Some(s), err
}
