package turn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/intake"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/orchestrator"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/worker"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// A turn is one run of one session.
type turn struct {
	*ledger.Ledger
	Trees        *worktree.Trees
	Budget       *budget.Budget
	Runtime      *runtime.Runtime
	Inquiries    *inquiry.Inquiries
	Orchestrator *orchestrator.Orchestrator
	Permissions  *permission.Permissions
	Intake       *intake.Intake
	halt         context.CancelCauseFunc
}

// sessionFolders are those of this runner.
func (r *Runner) sessionFolders() *folder.Folders {
	f := &folder.Folders{Dir: r.Dir, Locks: &r.holds}
	if r.Checker != nil {
		f.CacheDir = r.Checker.Caches.Dir
	}
	return f
}

// CleanFolders removes sessions' folders that are not used (see Folders.Clean).
func (r *Runner) CleanFolders(ctx context.Context, keep folder.Keep) ([]repo.Removed, error) {
	return r.sessionFolders().Clean(ctx, keep)
}

// openTurn puts a turn's parts together.
func (r *Runner) openTurn(begun *store.Turn) *turn {
	ledger := &ledger.Ledger{Turn: begun, Store: r.Store, Slack: r.Slack, Agents: r.Agents, Secrets: r.Secrets, Dir: r.Dir, Log: r.Log.With("session", begun.Session().ID)}
	catalog := &catalog.Catalog{Ledger: ledger, Repositories: r.Repositories}
	permissions := &permission.Permissions{Ledger: ledger, Catalog: catalog, Rule: r.askRule}
	attachments := &attachment.Attachments{Ledger: ledger, Sees: r.Model.Sees(r.Agents[agent.Orchestrator].Model)}
	trees := &worktree.Trees{
		Ledger: ledger, Catalog: catalog, Folders: r.sessionFolders(), Mirrors: r.Mirrors, Sandbox: r.Sandbox, SandboxOff: r.SandboxOff, Checker: r.Checker,
		Skills: r.Skills, Seats: r.Seats, Patience: r.Patience,
	}
	budget := &budget.Budget{Ledger: ledger, Limits: r.Limits}
	t := &turn{Ledger: ledger, Trees: trees, Budget: budget, Permissions: permissions}
	t.Runtime = &runtime.Runtime{Ledger: ledger, Trees: trees, Attachments: attachments, Budget: budget, Model: r.Model, Hear: t.judgeMeanwhile}
	t.Inquiries = &inquiry.Inquiries{
		Ledger: ledger, Runtime: t.Runtime, Trees: trees, Attachments: attachments, Permissions: permissions,
		Halt: func(err error) { t.halt(err) },
	}
	delivery := &delivery.Delivery{Ledger: ledger, Trees: trees, Catalog: catalog, Folders: r.sessionFolders(), Inquiries: t.Inquiries}
	workers := &worker.Workers{
		Ledger: ledger, Trees: trees, Delivery: delivery, Inquiries: t.Inquiries, Runtime: t.Runtime, Attachments: attachments, Attempts: r.Attempts,
	}
	approvals := &approval.Approvals{Ledger: ledger, Catalog: catalog, Permissions: permissions}
	t.Orchestrator = &orchestrator.Orchestrator{
		Ledger: ledger, Trees: trees, Workers: workers, Delivery: delivery, Inquiries: t.Inquiries, Runtime: t.Runtime, Attachments: attachments,
		Permissions: permissions, Approvals: approvals, Unanswered: r.Unanswered,
	}
	t.Intake = &intake.Intake{
		Ledger: ledger, Catalog: catalog, Permissions: permissions, Approvals: approvals, Budget: budget, Orchestrator: t.Orchestrator, Skills: r.Skills,
		Judged: t.afterJudged,
	}
	return t
}

// runOnce runs until the session rests or is stopped; after a stop it is called again, to
// judge who said so.
func (t *turn) runOnce(parent context.Context) (again bool, err error) {
	defer t.Trees.Folders.Hold(t.Session().ID)()
	ctx, cancel := context.WithCancelCause(parent)
	t.halt, t.Inquiries.Started = cancel, map[int64]chan struct{}{}
	watched := make(chan struct{})
	go func() { defer close(watched); t.watchSession(ctx, cancel) }()
	defer t.Trees.Close()
	defer func() { cancel(nil); <-watched; t.Inquiries.WaitStarted() }()

	err = t.advanceSession(ctx)
	if errors.Is(context.Cause(ctx), errStopped) && parent.Err() == nil {
		return true, t.judgeStop(parent)
	}
	if errors.Is(context.Cause(ctx), errMoved) && parent.Err() == nil {
		return true, nil
	}
	if errors.Is(context.Cause(ctx), store.ErrFenced) {
		return false, store.ErrFenced
	}
	if cause := context.Cause(ctx); cause != nil && folder.DiskMessage(cause) != "" {
		err = cause // an agent beside the work came upon it
	}
	return false, t.sayDiskFailed(parent, err)
}

// judgeStop judges who said stop. Where that stopped the session, calls that were under
// way are answered as interrupted, so that what is written next is read first.
func (t *turn) judgeStop(ctx context.Context) error {
	if err := t.Intake.JudgeAll(ctx); err != nil || t.Session().Phase != workflow.PhaseStopped {
		return err
	}
	tasks, err := t.Store.Tasks(ctx, t.Session().ID, "")
	if err != nil {
		return err
	}
	var stopped []store.Part
	for _, k := range tasks {
		if k.State == workflow.TaskOpen || k.State == workflow.TaskWorking {
			k.State, k.Summary = workflow.TaskFailed, "stopped by a person; what it changed so far is still in the workspace"
			stopped = append(stopped, store.Task{Task: k})
		}
	}
	if err := t.Inquiries.DropOpen(ctx); err != nil {
		return err
	}
	j, err := t.Runtime.OpenTranscript(ctx, 0, t.Agents[agent.Orchestrator])
	if err != nil {
		return err
	}
	j.Add(stopped...)
	var closing []model.Message
	for _, call := range agent.Unanswered(j.Messages()) {
		closing = append(closing, model.Message{Role: model.ToolRole, CallID: call.ID, Text: "Interrupted: a person said stop. Read what is written next before you go on."})
	}
	return j.Append(ctx, 0, closing...)
}

// watchSession ends ctx when a person said stop or another turn took over, and judges what people
// write while agents are busy, so that what it makes pointless is cancelled.
func (t *turn) watchSession(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p, err := t.Pulse(ctx)
		switch {
		case err != nil:
			continue // a database that is away for a moment stops nothing
		case !p.Mine:
			cancel(store.ErrFenced)
		case p.Stop:
			cancel(errStopped)
		case p.Unhandled && t.Trees.Current() != nil:
			if err := t.judgeMeanwhile(ctx); err != nil && ctx.Err() == nil {
				t.Log.Warn("judge what was written meanwhile", "err", err)
			}
		}
	}
}

// judgeMeanwhile judges what people wrote, and begins what that asks for beside the work.
func (t *turn) judgeMeanwhile(ctx context.Context) error {
	if err := t.Intake.JudgeAll(ctx); err != nil {
		return err
	}
	return t.Inquiries.StartOpen(ctx)
}

// advanceSession is the turn itself: the orchestrator works, and questions to agents that only
// read are answered beside it; what they say may open the session again.
func (t *turn) advanceSession(ctx context.Context) error {
	if err := t.Intake.JudgeAll(ctx); err != nil {
		return err
	}
	if waits, err := t.Inquiries.HasOpen(ctx); err != nil || !waits && !t.Session().Open {
		return err
	}
	ready, err := t.Trees.Open(ctx)
	if err != nil || !ready {
		return err
	}
	t.Work()
	for {
		if err := t.Inquiries.StartOpen(ctx); err != nil {
			return err
		}
		if t.Session().Open {
			if err := t.runOrchestrator(ctx); err != nil {
				return err
			}
		}
		t.Inquiries.WaitStarted()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !t.Session().Open {
			return nil
		}
	}
}

// runOrchestrator runs the orchestrator over its journal.
func (t *turn) runOrchestrator(ctx context.Context) error {
	row := t.Agents[agent.Orchestrator]
	j, err := t.Runtime.OpenTranscript(ctx, 0, row)
	if err != nil {
		return err
	}
	if len(j.Messages()) == 0 {
		if err := t.Orchestrator.WriteBrief(ctx, j); err != nil {
			return err
		}
	}
	bench, err := t.Runtime.CopyBench()
	if err != nil {
		return err
	}
	bench.Ran = j.AddCommand
	tools := append(agent.Leading(&orchestrator.Tools{Orchestrator: t.Orchestrator, Journal: j}), t.Runtime.ReadingTools(bench)...)
	loop := t.Runtime.NewLoop(ctx, row, j, append(tools, t.Runtime.SkillTool()))
	end, err := loop.Run(ctx)
	if err != nil {
		return t.sayModelFailed(ctx, err)
	}
	if end != agent.EndTool {
		return t.sayStranded(ctx, row, end)
	}
	return nil
}

// setAside answers messages that could not be judged, however often that was tried: Slack
// does not tell who wrote them. They are set aside, and whoever wrote them is told; what
// else goes on in the session does.
func (t *turn) setAside(ctx context.Context, cause error) error {
	messages, err := t.Unhandled(ctx)
	if err != nil || len(messages) == 0 {
		return cmp.Or(err, cause)
	}
	f := []store.Part{store.Update{ClearStop: true}}
	for _, m := range messages {
		f = append(f, store.Handled{ID: m.ID}, store.Decision{What: "speak", Reason: "the person could not be looked up", User: m.User, MessageTS: m.TS})
	}
	t.Log.Error("messages are set aside: it cannot be read who wrote them", "messages", len(messages), "err", cause)
	f = append(f, store.Lines(t.ProgramLine("I cannot take what was written here last: Slack does not tell me who wrote it ("+prompt.FirstLine(cause.Error())+
		"). Please write it again in a moment; if that does not help, whoever runs me finds the cause with `bobbin doctor`.")))
	return t.Record(ctx, f...)
}
