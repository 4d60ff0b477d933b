package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	claims "github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Workers runs the tasks of a session.
type Workers struct {
	*ledger.Ledger
	Trees       *worktree.Trees
	Delivery    *delivery.Delivery
	Scope       *scope.Scope
	Inquiries   *inquiry.Inquiries
	Runtime     *runtime.Runtime
	Attachments *attachment.Attachments
	Attempts    int
}

// A task is one task with the state of its worker.
type task struct {
	*Workers
	transcript *runtime.Transcript
	task       workflow.Task
	tree       *git.Workspace // the workspace that it works in
	grant      *workflow.Approval
	red        failedCheck
	told       string // the changed expectations that the worker was told of
}

// A failedCheck is the newest check, if tests failed in it that pass on the base. The proof of the same
// files is then skipped.
type failedCheck struct{ tree, text string }

// noting wraps the tool check so that each call stores its result in f, or clears f.
func (f *failedCheck) noting(check model.Tool, env *tool.Env) model.Tool {
	call := check.Call
	check.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		r, err := call(ctx, args)
		*f = failedCheck{}
		if err != nil || !r.Failed || env.Checker == nil {
			return r, err
		}
		for _, w := range r.Writes {
			ran, _ := w.(tool.CheckRun)
			base, known := env.Checker.Remembered(env.Workspace.Base(), ran.Project)
			if fresh, _ := ran.FailingSince(base); known && len(fresh) > 0 {
				err = f.note(ctx, env.Workspace, r.Text)
			}
		}
		return r, err
	}
	return check
}

// note stores what failed with the tree of the files that it failed on. Files that cannot be committed have
// none, and the tool done refuses them.
func (f *failedCheck) note(ctx context.Context, w *git.Workspace, text string) error {
	tree, err := w.Tree(ctx)
	switch {
	case errors.As(err, new(*git.PathError)):
		return nil
	case err != nil:
		return err
	}
	f.tree = tree
	f.text, _ = plaintext.CutMiddle(text, 2000, 2000)
	return nil
}

// refuse returns why the proof of a tree is skipped if the newest check failed on the same tree. It does
// so once, because a flaky test may pass the next time.
func (f *failedCheck) refuse(tree string) string {
	red := *f
	if red.tree != tree {
		return ""
	}
	*f = failedCheck{}
	return "Nothing was run: these files failed the last check, and nothing was changed since. " +
		"Mend that first; where it is not the change's fault, call done once more.\n" + red.text
}

// runTask runs one task, or the rest of it, and returns it with its result.
func (w *Workers) runTask(
	ctx context.Context, k workflow.Task, approval *workflow.Approval,
) (workflow.Task, error) {
	if k.State != workflow.TaskOpen && k.State != workflow.TaskWorking {
		return k, nil
	}
	row := w.Agents[string(k.Category)]
	j, err := w.Runtime.OpenTranscript(ctx, k.ID, row)
	if err != nil {
		return k, err
	}
	tree, err := w.Trees.OpenTaskTree(ctx, &k, len(j.Messages()) > 0)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		k.State = workflow.TaskBlocked
		k.Summary = fmt.Sprintf("not begun, since its own copy of the files cannot be made: %v. "+
			"Delegate one task alone that removes or ignores it.", unfit)
		return k, w.recordTask(ctx, k)
	}
	if err != nil {
		return k, err
	}
	if k.Apart {
		defer tree.Close()
	}
	h := &task{Workers: w, transcript: j, task: k, tree: tree, grant: approval}
	env, err := h.openEnv(ctx)
	if err != nil {
		return k, err
	}
	loop := w.Runtime.NewLoop(ctx, row, j, h.workerTools(env))
	loop.Transcript = &taskTranscript{j, h}
	end, err := loop.Run(ctx)
	if err != nil {
		return h.task, err
	}
	if end != agent.EndTool {
		return h.task, h.endNowhere(ctx, end)
	}
	return h.task, nil
}

// openEnv returns the worker's env, which knows the files that the worker has seen: those in its
// first message, and those that it has read since.
func (t *task) openEnv(ctx context.Context) (*tool.Env, error) {
	report, err := t.Store.Report(ctx, t.Session().ID, t.grant.Revision)
	if err != nil {
		return nil, fmt.Errorf("report %d: %w", t.grant.Revision, err)
	}
	env, err := t.Runtime.NewEnv(t.tree, t.mayWrite, nil)
	if err != nil {
		return nil, err
	}
	excerpts := env.Excerpts(ctx, namedLines(t.task, report))
	if len(t.transcript.Messages()) == 0 {
		return env, t.writeBrief(ctx, report, excerpts)
	}
	env.Recall(t.transcript.Messages())
	return env, nil
}

// placeNamed matches path/to/file.ext:12 and path/to/file.ext:12-30, and also (:40), which is in the
// file named before.
var placeNamed = regexp.MustCompile(`(?:([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*)|(?:^|[\s(,` +
	"`" + `])):(\d+)(?:[-–](\d+))?\b`)

// namedLines returns the places that a task names, then those that its report names. If there are many,
// only the first are shown.
func namedLines(k workflow.Task, r workflow.Report) (lines []tool.Line) {
	path := ""
	for _, m := range placeNamed.FindAllStringSubmatch(k.Description+"\n"+findings.ReportForWorkers(r), -1) {
		if m[1] != "" {
			path = m[1]
		}
		first, err := strconv.Atoi(m[2])
		if err != nil || path == "" {
			continue
		}
		last, _ := strconv.Atoi(m[3]) // 0 if it is a single line
		lines = append(lines, tool.Line{Path: path, Number: first, Last: last})
	}
	return lines
}

// A taskTranscript is a worker's transcript. When the worker reads that a removal was put back, it is in
// the files already.
type taskTranscript struct {
	*runtime.Transcript
	task *task
}

// Splice judges new messages, merges removals that were put back into the files, and appends the
// messages for the worker.
func (t *taskTranscript) Splice(ctx context.Context) error {
	if err := t.Hear(ctx); err != nil {
		return err
	}
	if err := t.task.Scope.RestoreRemovals(ctx, t.task.tree, &t.task.task); err != nil {
		return err
	}
	return t.Transcript.Splice(ctx)
}

func (w *Workers) recordTask(ctx context.Context, k workflow.Task) error {
	return w.Record(ctx, progress.Task{Task: k})
}

// writeBrief writes the worker's first message: the facts, the report, the approval, what was done
// before, the skills that the worker has to follow, and the task.
func (t *task) writeBrief(ctx context.Context, report workflow.Report, excerpts string) error {
	if err := t.Trees.Current().AwaitStart(ctx, t.Store.DB); err != nil {
		return err
	}
	parts := []string{t.Trees.RepositoryFacts(ctx)}
	if c := t.Trees.Current().Conventions(); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, prompt.ProgramMark+fmt.Sprintf(allowedBy[report.Kind],
		prompt.PersonName(t.grant.UserName))+"\n"+prompt.Fence("report", findings.ReportForWorkers(report)))
	if excerpts != "" {
		parts = append(parts, prompt.ProgramMark+"The lines that it and your task name, as they are now; "+
			"their files count as read:\n"+prompt.Fence("excerpts", excerpts))
	}
	if t.grant.Scope != "" {
		parts = append(parts, prompt.ProgramMark+"The approval is limited to this, and nothing beyond it "+
			"may change; what does is taken out:\n"+prompt.Fence("scope", t.grant.Scope))
	}
	since, err := t.amendmentText(ctx)
	if err != nil {
		return err
	}
	if since != "" {
		parts = append(parts, since)
	}
	taken, err := t.Store.Removals(ctx, t.Session().ID)
	if err != nil {
		return err
	}
	for _, r := range taken {
		if r.Approval == t.grant.ID {
			parts = append(parts, prompt.TakenOut(r))
		}
	}
	before, err := t.doneBefore(ctx, t.task)
	if err != nil {
		return err
	}
	if before != "" {
		parts = append(parts, before)
	}
	for _, name := range taskSkills(t.task) {
		if s, ok := t.Trees.Current().Skills.Find(name); ok {
			parts = append(parts, prompt.ProgramMark+"The skill "+
				name+" is in force; the program holds you to it:\n"+prompt.Fence("skill", s.Body))
		}
	}
	more, pictures, err := t.Attachments.Describe(ctx, "Attached in the thread", nil)
	if err != nil {
		return err
	}
	if more != "" {
		parts = append(parts, more)
	}
	parts = append(parts,
		prompt.ProgramMark+"Your task:\n"+prompt.Fence("task", t.task.Description+t.planText(report)))
	t.task.State = workflow.TaskWorking
	return t.transcript.Append(ctx, agent.Entry{
		Messages: []model.Message{{Role: model.User, Text: strings.Join(parts, "\n\n"), Pictures: pictures}},
		Writes:   ledger.Writes(progress.Task{Task: t.task}),
	})
}

// amendmentText returns what people said since the approval, without the messages that the worker is
// shown next anyway.
func (t *task) amendmentText(ctx context.Context) (string, error) {
	unseen, err := t.Inbox().Unseen(ctx, t.task.ID)
	if err != nil {
		return "", err
	}
	var rows []int64
	for _, m := range unseen {
		rows = append(rows, m.ID)
	}
	return t.AmendmentText(ctx, t.grant.Revision, rows...)
}

// allowedBy holds the heading of what was approved, by the kind of report.
var allowedBy = map[string]string{
	workflow.ReportRootCause: "The report that was approved by %s:",
	workflow.ReportDiagnosis: "The diagnosis that was approved by %s:",
	workflow.ReportRequest:   "The request, as %s agreed to it:",
	workflow.ReportPlan:      "The plan that was approved by %s:",
}

// planText returns what the plan says about this task.
func (t *task) planText(report workflow.Report) string {
	var plan workflow.Plan
	if t.task.Plan == 0 || json.Unmarshal(report.Body, &plan) != nil || t.task.Plan > len(plan.Tasks) {
		return ""
	}
	p := plan.Tasks[t.task.Plan-1]
	return fmt.Sprintf("\nTask %d of the plan. Acceptance: %s\nThe command that shows it: %s", t.task.Plan,
		p.Acceptance, p.Check)
}

// doneBefore returns what the tasks before this one did.
func (w *Workers) doneBefore(ctx context.Context, k workflow.Task) (string, error) {
	all, err := w.Store.Tasks(ctx, w.Session().ID, "")
	if err != nil {
		return "", err
	}
	var lines []string
	for _, o := range all {
		if o.Number < k.Number && o.State == workflow.TaskDone {
			lines = append(lines, fmt.Sprintf("Task %d: %s", o.Number, plaintext.OneLine(o.Summary)))
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	done := prompt.Fence("tasks", strings.Join(lines, "\n"))
	return prompt.ProgramMark + "Done before, and in the tree already:\n" + done, nil
}

// workerTools returns the worker's tools: all that read, run and write, on its workspace.
func (t *task) workerTools(env *tool.Env) []model.Tool {
	own := func(context.Context) error { return t.Trees.LetCommandsWrite(t.tree) }
	tools := append(decision.Working(t), t.Runtime.SkillTool())
	tests := t.Trees.Current().Tests
	env.CommandSetter = tool.CommandSetter{
		Current: tests.Project,
		Keep:    tests.Keep,
		Judge: func(line, source string) (project.Project, error) {
			return tests.Judge(t.transcript.Agent.Signature(), line, source)
		},
	}
	tools = append(tools, tool.Reading(env)...)
	for _, run := range tool.Running(env) {
		call := run.Call
		run.Call = func(ctx context.Context, args json.RawMessage) (result model.Result, err error) {
			err = t.Trees.WithoutLockFiles(t.tree, func() (err error) {
				result, err = call(ctx, args)
				return err
			})
			return result, err
		}
		tools = append(tools, t.Runtime.AroundRun(run, own, t.treeParts))
	}
	for _, w := range tool.Writing(env) {
		if w.Name == "check" {
			w = t.Runtime.AroundCheck(t.red.noting(w, env), own)
		} else {
			w = runtime.ThenRun(w, t.treeParts)
		}
		tools = append(tools, w)
	}
	return tools
}

func (t *task) mayWrite() error {
	if p := t.Session().Phase; !p.MayWrite() {
		return errors.New("nothing may be changed while the session is " + string(p))
	}
	return nil
}

// Say posts a line in the thread.
func (t *task) Say(ctx context.Context, message string) (model.Result, error) {
	return t.transcript.Say(ctx, message)
}

// Blocked ends the task without a result.
func (t *task) Blocked(ctx context.Context, reason string) (model.Result, error) {
	known, err := t.Contradict(ctx, t.transcript.Agent.Signature(), reason)
	if err != nil {
		return model.Result{}, err
	}
	said := store.Lines(ledger.VouchBelow(t.transcript.AgentLine("Blocked: "+reason), known))
	t.task.State = workflow.TaskBlocked
	t.task.Summary = reason
	return ledger.WithParts(
		model.Result{Text: "The task ends here.", Ends: true}, progress.Task{Task: t.task}, said,
	), nil
}

// claimFailedUpdate returns the session to its work after a claim that does not hold.
var claimFailedUpdate = store.Update{OptionalEvents: []workflow.Event{workflow.EventFail}}

// Done claims that the task is finished, and verifies it. The design rules are checked before the proof,
// and the proof before the scope.
func (t *task) Done(ctx context.Context, d decision.Done) (model.Result, error) {
	if err := t.Scope.RestoreRemovals(ctx, t.tree, &t.task); err != nil {
		return model.Result{}, err
	}
	if broken, err := t.designFaults(ctx); broken != "" || err != nil {
		return prompt.Wrong("%s", broken), err
	}
	if err := t.refuseSecrets(ctx); err != nil {
		return prompt.Refused(err)
	}
	tree, err := t.tree.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		return prompt.Wrong("What you made cannot be committed: %v", unfit), nil
	}
	if err != nil {
		return model.Result{}, err
	}
	if tree == t.task.StartTree {
		return prompt.Wrong("Nothing was changed since this task began, so there is nothing to verify. " +
			"Make the change and call done again; where nothing has to be changed, " +
			"call blocked and say why."), nil
	}
	if red := t.red.refuse(tree); red != "" {
		return prompt.Wrong("%s", red), nil
	}
	if err := t.Record(ctx, store.Update{OptionalEvents: []workflow.Event{workflow.EventClaim}}); err != nil {
		return model.Result{}, err
	}
	failpoint.Crash("claim_recorded")
	if left, err := t.Scope.ConfineToFolder(ctx, t.tree, t.task.TreeOwner()); err != nil || !left {
		return ledger.WithParts(prompt.Wrong("All of your change stands outside of the folder %s, "+
			"and was taken out. Do what can be done within it, or call blocked.", t.Trees.Current().Folder()),
			claimFailedUpdate), err
	}
	return t.verifyClaim(ctx, d)
}

// refuseSecrets refuses a claim whose files have a secret that the task added. The thread is told of it
// once for each attempt at the task.
func (t *task) refuseSecrets(ctx context.Context) error {
	earlier, err := t.Store.Attempts(ctx, t.task.ID)
	if err != nil {
		return err
	}
	return t.Delivery.RefuseSecrets(ctx, t.tree,
		fmt.Sprintf("attempt %d at task %d", len(earlier)+1, t.task.ID))
}

// A claim is the proof of the task's current files.
type claim struct {
	attempt *workflow.Attempt
	proof   proof.Proof
	earlier []workflow.Attempt
}

// proveClaim runs the proof of the current files.
func (t *task) proveClaim(ctx context.Context) (c claim, err error) {
	tree, err := t.tree.Tree(ctx)
	if err != nil {
		return c, err
	}
	if c.earlier, err = t.Store.Attempts(ctx, t.task.ID); err != nil {
		return c, err
	}
	if c.proof, err = t.Delivery.Prove(ctx, t.tree, tree); err != nil {
		return c, err
	}
	failpoint.Crash("claim_proven")
	c.attempt = &workflow.Attempt{
		Task:   t.task.ID,
		Number: len(c.earlier) + 1,
		Tree:   tree,
		Held:   t.passes(c.proof),
	}
	if c.attempt.Held && !c.proof.Holds() {
		c.proof.Why = "" // the task has nothing of its own to test; finish asks for that of the whole work
	}
	c.attempt.Summary = strings.Join(c.proof.Lines(), "\n")
	if !c.attempt.Held {
		c.attempt.Summary += failureOutput(c.proof)
	}
	return c, nil
}

// verifyClaim proves the claim and then checks it against the scope. An attempt is an edit that is
// followed by a verification, so a claim that fails again without an edit is not counted as one.
func (t *task) verifyClaim(ctx context.Context, d decision.Done) (model.Result, error) {
	c, err := t.proveClaim(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if c.proof.Outcome() == proof.NotStarted {
		return ledger.WithParts(prompt.Wrong(
			"%s\nThat is no failed attempt, and no fault of the change. Where another command tests it "+
				"here, name that in check; else call blocked, and say what is missing: your change is kept.",
			c.attempt.Summary,
		), claimFailedUpdate), nil
	}
	if !c.attempt.Held {
		if n := len(c.earlier); n > 0 && c.earlier[n-1].Tree == c.attempt.Tree {
			return ledger.WithParts(prompt.Wrong("Nothing was changed since the last verification, "+
				"and it failed again:\n%s", c.attempt.Summary), claimFailedUpdate), nil
		}
		if diff, err := t.tree.Diff(ctx); err == nil {
			c.attempt.Diff = prompt.CutDiff(diff, prompt.MaxDiffBytes)
		}
		return t.attemptFailed(ctx, c.attempt)
	}
	scoped, err := t.Scope.Hold(ctx, t.tree, &t.task, t.grant)
	if err != nil {
		return model.Result{}, err
	}
	taken := ""
	if scoped.Taken != nil {
		taken = "\n" + prompt.TakenOut(*scoped.Taken)
		if !scoped.Left {
			return ledger.WithParts(prompt.Wrong("All of your change stands outside the scope of the "+
				"approval (%s). That is no failed attempt. Do what the scope allows, or call blocked and "+
				"say what more it takes.%s", t.grant.Scope, taken), claimFailedUpdate), nil
		}
		if c, err = t.proveClaim(ctx); err != nil {
			return model.Result{}, err
		}
		if !c.attempt.Held {
			return ledger.WithParts(prompt.Wrong("Your change holds only with what stands outside the "+
				"scope of the approval (%s). That is no failed attempt. Do without it, or call blocked and "+
				"say what more it takes.%s\nWhat is left:\n%s", t.grant.Scope, taken, c.attempt.Summary),
				claimFailedUpdate), nil
		}
	}
	if changed, err := t.tellExpectations(ctx, c.proof); changed != "" || err != nil {
		return ledger.WithParts(prompt.Wrong("%s%s", changed, taken), claimFailedUpdate), err
	}
	if missing, err := t.skillGate(ctx, c.proof); missing != "" || err != nil {
		return ledger.WithParts(prompt.Wrong("%s%s", missing, taken), claimFailedUpdate), err
	}
	if err := t.readFirst(ctx, c.attempt, taken); err != nil {
		return prompt.Refused(err)
	}
	if t.task.Apart {
		clash, err := t.Trees.MergeTask(ctx, t.task, t.tree)
		if err != nil {
			return model.Result{}, err
		}
		if clash != "" {
			return t.mergeClashes(c.attempt, "It was verified in a tree of its own, but "+clash), nil
		}
	}
	failpoint.Crash("attempt_held")
	shown := c.proof.Short()
	if c.proof.Holds() {
		shown = verified(c.proof)
	}
	held, err := t.attemptHeld(ctx, d, shown, c.attempt)
	held.Text += taken
	return held, err
}

// readFirst keeps a verified task open if a person wrote to its worker meanwhile. The error is a
// prompt.Refusal then.
func (t *task) readFirst(ctx context.Context, a *workflow.Attempt, taken string) error {
	if err := t.transcript.Hear(ctx); err != nil {
		return err
	}
	unseen, err := t.Inbox().Unseen(ctx, t.task.ID)
	if err != nil || len(unseen) == 0 {
		return err
	}
	return &prompt.Refusal{Result: ledger.WithParts(model.Result{
		Text: "Verified, but somebody wrote for you meanwhile; you are shown it now. Do what it asks, " +
			"and call done again, also where it changes nothing.\n" + a.Summary + taken,
	},
		store.Update{OptionalEvents: []workflow.Event{workflow.EventVerified}})}
}

// passes reports whether the proof is enough for this task. Every task has to leave everything that
// passed as it was. A new test that failed first is demanded of a bug's only task, and by finish of the
// whole work; a task among several may have nothing of its own to test.
func (t *task) passes(p proof.Proof) bool {
	if p.Holds() {
		return true
	}
	plain := len(p.NewTests) == len(p.Guards) && len(p.NotRed) == 0 &&
		len(p.Regressions) == 0 && p.BuildOK && p.GreenOnBranch
	among := t.task.Apart || len(t.task.After) > 0
	feature := t.Session().Kind == workflow.KindFeature
	return plain && (among || p.MayGoUnproven(feature) || feature && len(p.Guards) == 0)
}

// failureOutput returns what the build and the first tests that fail only on the branch printed, for the
// worker that has to fix them. Output that several tests printed is shown once.
func failureOutput(p proof.Proof) string {
	const most, each = 3, 1500
	var b strings.Builder
	var told []string
	if p.Branch.BuildRan && !p.BuildOK {
		told = append(told, p.Branch.BuildOutput)
		fmt.Fprintf(&b, "\nThe build printed:\n%s", tail(p.Branch.BuildOutput, each))
	}
	fresh, _ := p.Branch.FailingSince(p.Base)
	for _, x := range fresh {
		if len(told) < most && !result.IsRepeatOf(told, x.Output) {
			told = append(told, x.Output)
			fmt.Fprintf(&b, "\n%s printed:\n%s", x.Name, tail(x.Output, each))
		}
	}
	return b.String()
}

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

// mergeClashes ends a task whose change is verified but conflicts with changes of other tasks.
func (t *task) mergeClashes(a *workflow.Attempt, clash string) model.Result {
	t.task.State = workflow.TaskClashes
	t.task.Summary = clash
	t.task.Tree = a.Tree
	return ledger.WithParts(
		model.Result{
			Text: "Verified, but it clashes with what others did meanwhile. " +
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

func (w *Workers) MaxAttempts() int {
	if w.Attempts == 0 {
		return 2
	}
	return w.Attempts
}

// treeParts returns the current state of the task's workspace, to be recorded with the result of the
// call that changed it.
func (t *task) treeParts(ctx context.Context) ([]store.Part, error) {
	s, err := t.Trees.Snapshot(ctx, t.tree, t.task.TreeOwner())
	return worktree.Some(s), err
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

// tail returns at most most bytes from the end of a text, from the beginning of a line.
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
