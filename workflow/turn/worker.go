package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/proof"
	resultpkg "github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// A hand is a worker's desk: one task.
type hand struct {
	*Workers
	journal *journal
	task    workflow.Task
	tree    *repo.Workspace // where it works
	grant   *workflow.Approval
}

// work does one task, or what is left of it, and gives it back with its outcome.
func (w *Workers) work(ctx context.Context, k workflow.Task, approval *workflow.Approval) (workflow.Task, error) {
	if k.State != workflow.TaskOpen && k.State != workflow.TaskWorking {
		return k, nil
	}
	row := w.Agents[string(k.Category)]
	j, err := w.Runtime.journal(ctx, k.ID, row)
	if err != nil {
		return k, err
	}
	tree, err := w.Trees.tree(ctx, &k, len(j.messages) > 0)
	if err != nil {
		return k, err
	}
	if k.Apart {
		defer tree.Close()
	}
	h := &hand{Workers: w, journal: j, task: k, tree: tree, grant: approval}
	if len(j.messages) == 0 {
		if err := h.begin(ctx); err != nil {
			return k, err
		}
	}
	tools, err := h.tools()
	if err != nil {
		return k, err
	}
	end, err := w.Runtime.loop(ctx, row, j, tools).Run(ctx)
	if err != nil {
		return h.task, err
	}
	if end != agent.EndTool {
		return h.task, h.nowhere(ctx, end)
	}
	return h.task, nil
}

func (w *Workers) keepTask(ctx context.Context, k workflow.Task) error {
	return w.Record(ctx, store.Task{Task: k})
}

// begin tells the worker what it may know: the facts, the report, the approval, the task,
// what was done before it, and the skills it is held to.
func (h *hand) begin(ctx context.Context) error {
	report, err := h.Store.Report(ctx, h.Session().ID, h.grant.Revision)
	if err != nil {
		return fmt.Errorf("report %d: %w", h.grant.Revision, err)
	}
	parts := []string{h.Trees.facts()}
	if c := h.Trees.conventions(); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, programMark+fmt.Sprintf(allowed[report.Kind], called(h.grant.UserName))+"\n"+fence("report", forWorkers(report)))
	if h.grant.Scope != "" {
		parts = append(parts, programMark+"The approval is limited to this, and nothing beyond it may change; what does is taken out:\n"+fence("scope", h.grant.Scope))
	}
	if before := h.before(ctx, h.task); before != "" {
		parts = append(parts, before)
	}
	for _, name := range taskSkills(h.task) {
		if s, ok := h.Trees.here().skills.Find(name); ok {
			parts = append(parts, programMark+"The skill "+name+" is in force; the program holds you to it:\n"+fence("skill", s.Body))
		}
	}
	more, pictures, err := h.Attachments.attached(ctx, "Attached in the thread", nil)
	if err != nil {
		return err
	}
	if more != "" {
		parts = append(parts, more)
	}
	parts = append(parts, programMark+"Your task:\n"+fence("task", h.task.Description+h.planned(report)))
	h.task.State = workflow.TaskWorking
	h.journal.add(store.Task{Task: h.task})
	return h.journal.Append(ctx, 0, model.Message{Role: model.User, Text: strings.Join(parts, "\n\n"), Pictures: pictures})
}

// allowed says what a person allowed, by its kind.
var allowed = map[string]string{
	reportRootCause: "The report that was approved by %s:",
	reportDiagnosis: "The diagnosis that was approved by %s:",
	reportRequest:   "The request, as %s agreed to it:",
	reportPlan:      "The plan that was approved by %s:",
}

// planned is what the plan says of this task.
func (h *hand) planned(report workflow.Report) string {
	var plan workflow.Plan
	if h.task.Plan == 0 || json.Unmarshal(report.Body, &plan) != nil || h.task.Plan > len(plan.Tasks) {
		return ""
	}
	p := plan.Tasks[h.task.Plan-1]
	return fmt.Sprintf("\nTask %d of the plan. Acceptance: %s\nThe command that shows it: %s", h.task.Plan, p.Acceptance, p.Check)
}

// before is what the tasks before this one did.
func (w *Workers) before(ctx context.Context, k workflow.Task) string {
	all, err := w.Store.Tasks(ctx, w.Session().ID, "")
	if err != nil {
		return ""
	}
	var lines []string
	for _, o := range all {
		if o.Number < k.Number && o.State == workflow.TaskDone {
			lines = append(lines, fmt.Sprintf("Task %d: %s", o.Number, plaintext.OneLine(o.Summary)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return programMark + "Done before, and in the tree already:\n" + fence("tasks", strings.Join(lines, "\n"))
}

// tools are the worker's: everything that reads, runs and writes, on its tree.
func (h *hand) tools() ([]model.Tool, error) {
	bench, err := h.Runtime.benchOver(h.tree, h.mayWrite, nil)
	if err != nil {
		return nil, err
	}
	bench.Ran, bench.Checked = h.journal.ran, h.saw
	bench.Recall(h.journal.messages)
	own := func(context.Context) error { return h.Trees.own(h.tree) }
	tools := append(agent.Working(h), h.Runtime.skillTool())
	tools = append(tools, tool.Reading(bench)...)
	for _, run := range tool.Running(bench) {
		tools = append(tools, h.Runtime.around(run, own, h.keep))
	}
	for _, w := range tool.Writing(bench) {
		if w.Name == "check" {
			w = h.Runtime.around(w, own, nil)
		} else {
			w = then(w, h.keep)
		}
		tools = append(tools, w)
	}
	return tools, nil
}

func (h *hand) mayWrite() error {
	if p := h.Session().Phase; !p.MayWrite() {
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
	h.journal.add(store.Task{Task: h.task})
	h.journal.say("Blocked: " + reason)
	return model.Result{Text: "The task ends here.", Ends: true}, nil
}

// Done claims that the task is finished; the program verifies it. What breaks a rule of
// the task's skill, or stands outside the scope, comes before the proof.
func (h *hand) Done(ctx context.Context, summary string) (model.Result, error) {
	if broken, err := h.design(ctx); broken != "" || err != nil {
		return wrong("%s", broken), err
	}
	if leak, err := h.Delivery.leaks(ctx, h.tree); leak != "" || err != nil {
		return wrong("%s", leak), err
	}
	tree, err := h.tree.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) {
		return wrong("What you made cannot be committed: %v", unfit), nil
	}
	if err != nil {
		return model.Result{}, err
	}
	if tree == h.task.StartTree {
		return wrong("Nothing was changed since this task began, so there is nothing to verify. Make the change and call done again; where nothing has to be changed, call blocked and say why."), nil
	}
	if err := h.Record(ctx, store.Update{Maybe: []workflow.Event{workflow.EventClaim}}); err != nil {
		return model.Result{}, err
	}
	//crash:claim_recorded
	if left, err := h.Delivery.confine(ctx, h.tree, h.where()); err != nil || !left {
		h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventFail}})
		return wrong("All of your change stands outside of the folder %s, and was taken out. Do what can be done within it, or call blocked.", h.Trees.here().folder()), err
	}
	left, err := h.Delivery.within(ctx, h.tree, h.where(), h.grant)
	if err != nil {
		return model.Result{}, err
	}
	if !left {
		h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventFail}})
		return wrong("All of your change stands outside the scope of the approval (%s), and was taken out. Do what the scope allows, or call blocked.", h.grant.Scope), nil
	}
	if tree, err = h.tree.Tree(ctx); err != nil { // the scope may have cut it down
		return model.Result{}, err
	}
	return h.verify(ctx, tree, summary)
}

// verify runs the proof. An attempt is edits followed by a verification: a claim that fails
// without an edit since the last one is none.
func (h *hand) verify(ctx context.Context, tree, summary string) (model.Result, error) {
	attempts, err := h.Store.Attempts(ctx, h.task.ID)
	if err != nil {
		return model.Result{}, err
	}
	proof, err := h.Delivery.prove(ctx, h.tree, tree)
	if err != nil {
		return model.Result{}, err
	}
	//crash:claim_proven
	attempt := &workflow.Attempt{Task: h.task.ID, Number: len(attempts) + 1, Tree: tree, Held: h.holds(proof)}
	if attempt.Held && !proof.Holds() {
		proof.Why = "" // nothing of its own to test; finish asks for it of the whole
	}
	attempt.Summary = strings.Join(proof.Lines(), "\n")
	if !attempt.Held {
		attempt.Summary += failures(proof.Branch)
	}
	if n := len(attempts); n > 0 && attempts[n-1].Tree == tree && !attempt.Held {
		h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventFail}})
		return wrong("Nothing was changed since the last verification, and it failed again:\n%s", attempt.Summary), nil
	}
	if !attempt.Held {
		if diff, err := h.tree.Diff(ctx); err == nil {
			attempt.Diff = cutTo(diff, 24<<10)
		}
		h.journal.add(store.Attempt(*attempt))
		return h.failed(ctx, attempt)
	}
	if missing, err := h.gate(ctx, proof); missing != "" || err != nil {
		h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventFail}})
		return wrong("%s", missing), err
	}
	if h.task.Apart {
		clash, err := h.Trees.merge(ctx, h.task, h.tree)
		if err != nil {
			return model.Result{}, err
		}
		if clash != "" {
			return h.clashes(attempt, clash), nil
		}
	}
	h.journal.add(store.Attempt(*attempt))
	//crash:attempt_held
	return h.held(ctx, summary, attempt)
}

// holds: each task has to leave everything that worked as it was. That something new was
// seen to fail first is asked of a bug's one task, and of the whole work by finish; a task
// among several may have nothing of its own to test.
func (h *hand) holds(p proof.Proof) bool {
	if p.Holds() {
		return true
	}
	plain := len(p.NewTests) == 0 && len(p.NotRed) == 0 && len(p.Regressions) == 0 && p.BuildOK && p.GreenOnBranch
	return plain && (h.Session().Kind == workflow.KindFeature || h.task.Apart || len(h.task.After) > 0)
}

// failures are what the first failing tests printed, for whoever has to mend them.
func failures(r resultpkg.Result) string {
	const most, each = 3, 1500
	var b strings.Builder
	if r.BuildRan && !r.BuildOK {
		fmt.Fprintf(&b, "\nThe build printed:\n%s", tail(r.BuildOutput, each))
	}
	n := 0
	for _, x := range r.Tests {
		if x.Status == resultpkg.Failed && n < most {
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

func (h *hand) held(ctx context.Context, summary string, a *workflow.Attempt) (model.Result, error) {
	h.task.State, h.task.Summary, h.task.Tree = workflow.TaskDone, summary, a.Tree
	h.journal.add(store.Task{Task: h.task})
	h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventVerified}})
	for _, line := range strings.Split(a.Summary, "\n") {
		h.journal.say(line)
	}
	h.journal.say("Done: " + firstLine(summary))
	boxes, err := h.boxes(ctx, h.task)
	if boxes != "" {
		h.journal.add(store.Lines(h.program(boxes)))
	}
	return model.Result{Text: "Verified:\n" + a.Summary, Ends: true}, err
}

// boxes is the plan with a tick on each task that was verified, just now the one given.
func (w *Workers) boxes(ctx context.Context, now workflow.Task) (string, error) {
	if now.Plan == 0 {
		return "", nil
	}
	s := w.Session()
	a, err := w.approval(ctx)
	if err != nil || a == nil {
		return "", err
	}
	plan, err := w.plan(ctx, a)
	if err != nil {
		return "", err
	}
	all, err := w.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return "", err
	}
	verified := []int{now.Plan}
	for _, k := range all {
		if k.State == workflow.TaskDone && k.Plan > 0 {
			verified = append(verified, k.Plan)
		}
	}
	return "Plan:\n" + plan.Boxes(verified), nil
}

// clashes ends a task that is verified by itself, but cannot be merged as it is.
func (h *hand) clashes(a *workflow.Attempt, clash string) model.Result {
	h.task.State, h.task.Summary, h.task.Tree = workflow.TaskClashes, clash, a.Tree
	h.journal.add(store.Attempt(*a))
	h.journal.add(store.Task{Task: h.task})
	h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventVerified}})
	h.journal.say("Verified by itself, but others changed the same lines meanwhile; the orchestrator gets it as a task")
	return model.Result{Text: "Verified, but it clashes with what others did meanwhile. The task goes back to the orchestrator.", Ends: true}
}

// failed gives the reasons to the worker. After the last allowed attempt the consultant is
// asked, without anybody asking for it; after the one that follows its recommendation the
// files are put back and the thread is asked.
func (h *hand) failed(ctx context.Context, a *workflow.Attempt) (model.Result, error) {
	h.task.Failures++
	h.journal.add(store.Task{Task: h.task})
	h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventFail}})
	said := workflow.Line{Agent: h.journal.agent.Signature(), Text: fmt.Sprintf("Attempt %d did not hold: %s", h.task.Failures, firstLine(a.Summary))}
	if h.task.Failures != h.attempts() {
		h.journal.add(store.Lines{said})
	}
	if h.task.Failures < h.attempts() {
		return wrong("The verification failed; the task goes on.\n%s", a.Summary), nil
	}
	h.task.State, h.task.Summary = workflow.TaskFailed, fmt.Sprintf("%s failed. The last one:\n%s", count(h.task.Failures, "attempt"), a.Summary)
	if h.task.Failures == h.attempts() {
		advice, err := h.escalate(ctx, a, said)
		if err != nil {
			return model.Result{}, err
		}
		h.task.Summary += advice
	}
	h.journal.add(store.Task{Task: h.task})
	return model.Result{Text: "The verification failed again; the task goes back to the orchestrator.\n" + a.Summary, Ends: true}, nil
}

// escalationKey begins the keys of consultations that the program asks for by itself.
const escalationKey = "escalation:"

// escalate asks the consultant with what was tried, and gives its recommendation for the
// orchestrator.
func (h *hand) escalate(ctx context.Context, last *workflow.Attempt, said workflow.Line) (string, error) {
	name := h.Agents[agent.Consultant].Signature()
	attempts, err := h.Store.Attempts(ctx, h.task.ID)
	if err != nil {
		return "", err
	}
	shown := []string{programMark + fmt.Sprintf("%s at this task failed. Why, and what is to be done instead?\n", count(h.task.Failures, "attempt")) + fence("task", h.task.Description)}
	for _, a := range append(attempts, *last) {
		shown = append(shown, programMark+fmt.Sprintf("Attempt %d:\n", a.Number)+fence("diff", a.Diff)+"\n"+fence("output", cutTo(a.Summary, 8<<10)))
	}
	q := workflow.Inquiry{Kind: workflow.InquiryConsult, Key: fmt.Sprintf("%s%d", escalationKey, h.task.ID), Question: "Why did the attempts fail, and what is to be done instead?"}
	_, err = h.Inquiries.kept(ctx, q,
		store.Update{Maybe: []workflow.Event{workflow.EventFail, workflow.EventConsult}},
		store.Lines(append([]workflow.Line{said}, h.program(fmt.Sprintf("%s failed. Asking the %s.", count(h.task.Failures, "attempt"), name))...)))
	if err != nil {
		return "", err
	}
	q, err = h.Inquiries.inquire(ctx, q, h.Inquiries.consultText(ctx, strings.Join(shown, "\n\n")), nil)
	if err != nil {
		return "", err
	}
	h.journal.add(store.Update{Maybe: []workflow.Event{workflow.EventAdvice}})
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
		return "\nThe " + name + " was asked and gave no answer.", nil
	}
	return fmt.Sprintf("\nThe %s was asked, and recommends:\n%s\nApply it: delegate again with it in the description, or say why not.", name, fence("advice", advice.Text())), nil
}

func (w *Workers) attempts() int {
	if w.Attempts == 0 {
		return 2
	}
	return w.Attempts
}
