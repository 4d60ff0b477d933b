package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/check"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// A hand is a worker's desk: one task.
type hand struct {
	turn    *turn
	journal *journal
	task    workflow.Task
}

// work does one task, or what is left of it, and gives it back with its outcome.
func (t *turn) work(ctx context.Context, k workflow.Task, approval *workflow.Approval) (workflow.Task, error) {
	if k.State == workflow.TaskDone || k.State == workflow.TaskBlocked || k.State == workflow.TaskFailed {
		return k, nil
	}
	row := t.Agents[string(k.Category)]
	j, err := t.journal(ctx, k.ID, row)
	if err != nil {
		return k, err
	}
	h := &hand{turn: t, journal: j, task: k}
	if len(j.messages) == 0 {
		if err := h.begin(ctx, approval); err != nil {
			return k, err
		}
	}
	tools, err := h.tools()
	if err != nil {
		return k, err
	}
	end, err := t.loop(row, j, tools).Run(ctx)
	if err != nil {
		return h.task, err
	}
	if end != agent.EndTool {
		h.task.State, h.task.Summary = workflow.TaskFailed, "the worker got nowhere: "+ends[end]
		return h.task, t.Record(ctx, store.Fact{Tasks: []workflow.Task{h.task}})
	}
	return h.task, nil
}

// begin tells the worker what it may know: the facts, the report, the approval, the task.
func (h *hand) begin(ctx context.Context, approval *workflow.Approval) error {
	t := h.turn
	report, err := t.Store.Report(ctx, t.Session().ID, approval.Revision)
	if err != nil {
		return fmt.Errorf("report %d: %w", approval.Revision, err)
	}
	parts := []string{t.facts()}
	if c := t.conventions(); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, programMark+"The report that was approved by "+oneLine(approval.UserName)+":\n"+fence("report", report.Text))
	if approval.Scope != "" {
		parts = append(parts, programMark+"The approval is limited to this, and nothing beyond it may change:\n"+fence("scope", approval.Scope))
	}
	parts = append(parts, programMark+"Your task:\n"+fence("task", h.task.Description))
	h.task.State = workflow.TaskWorking
	h.journal.put.Tasks = []workflow.Task{h.task}
	return h.journal.Append(ctx, 0, model.Message{Role: model.User, Text: strings.Join(parts, "\n\n")})
}

// tools are the worker's: everything that reads, runs and writes, on the session's tree.
func (h *hand) tools() ([]model.Tool, error) {
	t := h.turn
	bench, err := t.benchOver(t.place.work, h.mayWrite, nil)
	if err != nil {
		return nil, err
	}
	own := func(context.Context) error { return t.own(t.place.work) }
	tools := append(agent.Working(h), tool.Reading(bench)...)
	for _, run := range tool.Running(bench) {
		tools = append(tools, t.around(run, own, nil))
	}
	for _, w := range tool.Writing(bench) {
		if w.Name == "check" {
			w = t.around(w, own, nil)
		}
		tools = append(tools, w)
	}
	return tools, nil
}

func (h *hand) mayWrite() error {
	if p := h.turn.Session().Phase; !p.MayWrite() {
		return errors.New("nothing may be changed while the session is " + string(p))
	}
	return nil
}

// Say puts a line in the thread.
func (h *hand) Say(ctx context.Context, message string) (model.Result, error) {
	return h.journal.Say(ctx, message)
}

// Blocked ends the task without a result.
func (h *hand) Blocked(_ context.Context, reason string) (model.Result, error) {
	h.task.State, h.task.Summary = workflow.TaskBlocked, reason
	h.journal.put.Tasks = []workflow.Task{h.task}
	h.journal.say("Blocked: " + reason)
	return model.Result{Text: "The task ends here.", Ends: true}, nil
}

// Done claims that the task is finished; the program verifies it. An attempt is edits
// followed by a verification: a claim that fails without an edit since the last one is none.
func (h *hand) Done(ctx context.Context, summary string) (model.Result, error) {
	t := h.turn
	attempts, err := t.Store.Attempts(ctx, h.task.ID)
	if err != nil {
		return model.Result{}, err
	}
	tree, err := t.place.work.Tree(ctx)
	var unfit *repo.TreeError
	if errors.As(err, &unfit) {
		return wrong("What you made cannot be committed: %v", unfit), nil
	}
	if err != nil {
		return model.Result{}, err
	}
	if t.Session().Phase == workflow.PhaseWorking {
		if err := t.Record(ctx, store.Fact{Events: []workflow.Event{workflow.EventClaim}}); err != nil {
			return model.Result{}, err
		}
	}
	proof, err := t.prove(ctx, tree)
	if err != nil {
		return model.Result{}, err
	}
	attempt := &workflow.Attempt{Task: h.task.ID, Number: len(attempts) + 1, Tree: tree, Held: proof.Holds(), Summary: strings.Join(proof.Lines(), "\n")}
	if !attempt.Held {
		attempt.Summary += failures(proof.Branch)
	}
	if n := len(attempts); n > 0 && attempts[n-1].Tree == tree && !attempt.Held {
		h.journal.put.Events = []workflow.Event{workflow.EventFail}
		return wrong("Nothing was changed since the last verification, and it failed again:\n%s", attempt.Summary), nil
	}
	h.journal.put.Attempt = attempt
	if attempt.Held {
		return h.held(summary, attempt), nil
	}
	return h.failed(attempt), nil
}

// failures are what the first failing tests printed, for whoever has to mend them.
func failures(r check.Result) string {
	const most, each = 3, 1500
	var b strings.Builder
	if r.BuildRan && !r.BuildOK {
		fmt.Fprintf(&b, "\nThe build printed:\n%s", tail(r.BuildOutput, each))
	}
	n := 0
	for _, x := range r.Tests {
		if x.Status == check.Failed && n < most {
			fmt.Fprintf(&b, "\n%s printed:\n%s", x.Name, tail(x.Output, each))
			n++
		}
	}
	return b.String()
}

// tail is the end of a text, from the beginning of a line.
func tail(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	s = strings.ToValidUTF8(s[len(s)-most:], "")
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return "…\n" + s
}

func (h *hand) held(summary string, a *workflow.Attempt) model.Result {
	h.task.State, h.task.Summary = workflow.TaskDone, summary
	h.journal.put.Tasks = []workflow.Task{h.task}
	h.journal.put.Events = []workflow.Event{workflow.EventVerified}
	for _, line := range strings.Split(a.Summary, "\n") {
		h.journal.say(line)
	}
	h.journal.say("Done: " + firstLine(summary))
	return model.Result{Text: "Verified:\n" + a.Summary, Ends: true}
}

// failed gives the reasons to the worker, or after the last allowed attempt to the orchestrator.
func (h *hand) failed(a *workflow.Attempt) model.Result {
	h.journal.put.Events = []workflow.Event{workflow.EventFail}
	h.journal.say(fmt.Sprintf("Attempt %d did not hold: %s", a.Number, firstLine(a.Summary)))
	if a.Number < h.turn.attempts() {
		return wrong("The verification failed; the task goes on.\n%s", a.Summary)
	}
	h.task.State, h.task.Summary = workflow.TaskFailed, fmt.Sprintf("%d attempts failed. The last one:\n%s", a.Number, a.Summary)
	h.journal.put.Tasks = []workflow.Task{h.task}
	return model.Result{Text: "The verification failed again; the task goes back to the orchestrator.\n" + a.Summary, Ends: true}
}

func (t *turn) attempts() int {
	if t.Attempts == 0 {
		return 2
	}
	return t.Attempts
}
