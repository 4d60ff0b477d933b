package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	claims "github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

func (t *task) attemptHeld(
	ctx context.Context, d decision.Done, shown string, a *workflow.Attempt,
) (model.Result, error) {
	d = withoutClaims(d)
	t.task.State = workflow.TaskDone
	t.task.Summary = strings.TrimSpace(d.Summary) + prompt.LeftLine(d.Left)
	t.task.Tree = a.Tree
	written := []store.Part{
		progress.Attempt(*a),
		progress.Task{Task: t.task},
		store.Update{OptionalEvents: []workflow.Event{workflow.EventVerified}},
	}
	written = append(written, t.transcript.ProgressLine(doneText(d, shown)))
	ticked, err := t.tickPlan(ctx, t.task)
	if ticked != nil {
		written = append(written, *ticked)
	}
	return ledger.WithParts(model.Result{Text: "Verified:\n" + a.Summary, Ends: true}, written...), err
}

// withoutClaims takes out of a worker's words what only the program says, to people and to agents: what it
// counted, what was approved, and what was pushed.
func withoutClaims(d decision.Done) decision.Done {
	d.Summary, _ = claims.Without(d.Summary)
	d.Left, _ = claims.Without(d.Left)
	return d
}

// doneText returns what the thread is told of a task that is done: the first sentences of the worker's
// summary, what stays open, and what the program saw of it.
func doneText(d decision.Done, shown string) (text workflow.Text) {
	// a second line could look like a line of another agent
	what, _, _ := strings.Cut(strings.TrimSpace(d.Summary), "\n")
	if what = plaintext.FirstSentences(what, 300); !strings.HasSuffix(what, "…") {
		what = strings.TrimRight(what, ".") + "."
	}
	if what == "." {
		what = "the task."
	}
	text.Add("Done: " + what + prompt.LeftLine(d.Left))
	text.Vouch(shown)
	return text
}

// tickPlan returns the message of the approved plan anew, with a tick on each verified task, now among
// them. It returns nil if there is no plan.
func (w *Workers) tickPlan(ctx context.Context, now workflow.Task) (*store.Reworded, error) {
	if now.Plan == 0 {
		return nil, nil
	}
	a, err := w.StandingApproval(ctx)
	if err != nil || a == nil || a.Revision != now.Revision {
		return nil, err
	}
	plan, err := w.ApprovedPlan(ctx, a)
	if err != nil {
		return nil, err
	}
	tasks, err := w.DelegatedTasks(ctx, a.Revision)
	if err != nil {
		return nil, err
	}
	verified := []int{now.Plan}
	for _, k := range tasks {
		if k.State == workflow.TaskDone {
			verified = append(verified, k.Plan)
		}
	}
	return &store.Reworded{Revision: a.Revision, Line: w.AgentLine(plan.Text(verified...))[0]}, nil
}

// mergeConflicts ends a task whose change is verified but conflicts with changes of other tasks.
func (t *task) mergeConflicts(a *workflow.Attempt, clash string) model.Result {
	t.task.State = workflow.TaskClashes
	t.task.Summary = clash
	t.task.Tree = a.Tree
	return ledger.WithParts(
		model.Result{
			Text: "Verified, but it conflicts with what others did meanwhile. " +
				"The task goes back to the orchestrator.",
			Ends: true,
		},
		progress.Attempt(*a),
		progress.Task{Task: t.task},
		store.Update{OptionalEvents: []workflow.Event{workflow.EventVerified}},
		t.transcript.ProgramLine(
			"Verified by itself, but others changed the same lines meanwhile; "+
				"the orchestrator gets it as a task",
		),
	)
}

// attemptFailed tells the worker why the attempt failed. After the last allowed attempt the program asks
// the consultant by itself. After the attempt that follows its recommendation, the files are restored
// and the thread is asked.
func (t *task) attemptFailed(ctx context.Context, a *workflow.Attempt) (model.Result, error) {
	t.task.Failures++
	written := []store.Part{progress.Attempt(*a), progress.Task{Task: t.task}, claimFailedUpdate}
	said := t.transcript.ProgramLine(
		fmt.Sprintf("Attempt %d did not hold: %s", t.task.Failures, prompt.FirstLine(a.Summary)),
	)
	if t.task.Failures != t.MaxAttempts() {
		written = append(written, said)
	}
	if t.task.Failures < t.MaxAttempts() {
		return ledger.WithParts(prompt.Wrong("The verification failed; the task goes on.\n%s", a.Summary),
			written...), nil
	}
	t.task.State = workflow.TaskFailed
	t.task.Summary = fmt.Sprintf("%s failed. The last one:\n%s",
		plaintext.CountNoun(t.task.Failures, "attempt"), a.Summary)
	if t.task.Failures == t.MaxAttempts() {
		advice, err := t.escalate(ctx, a, said)
		if err != nil {
			return model.Result{}, err
		}
		t.task.Summary += advice
		written = append(written, store.Update{OptionalEvents: []workflow.Event{workflow.EventAdvice}})
	}
	return ledger.WithParts(model.Result{
		Text: "The verification failed again; the task goes back to the orchestrator.\n" + a.Summary,
		Ends: true,
	},
		append(written, progress.Task{Task: t.task})...), nil
}

// endNowhere ends a task whose worker made no progress. The orchestrator decides how to go on.
func (t *task) endNowhere(ctx context.Context, end agent.End) error {
	t.Log.Warn("worker ended without a result", "task", t.task.Number, "end", end)
	t.task.State = workflow.TaskFailed
	t.task.Summary = runtime.NoProgressPrefix + runtime.EndReason[end]
	said := t.transcript.ProgramLine(
		fmt.Sprintf("Got nowhere with task %d: %s.", t.task.Number, runtime.EndReason[end]),
	)
	return t.Record(ctx, progress.Task{Task: t.task}, said)
}
