// Package turn takes one session as far as it goes: it judges what people wrote, lets the
// agents work, records what they decide, and moves the phase on.
//
// A turn begins when a worker of the queue calls [Runner.Run] with the session of its job. The
// turn fences every earlier turn of the session, lets package intake judge the new messages,
// lets package worktree open the repository, and runs the orchestrator's loop until a tool ends
// it (open.go). The turn records everything before anybody sees it, so a turn that died is done
// again from rows alone: a call without a result is called again, tasks are found by the call
// that made them, commits come out with the same hash, and a push is looked up before it is made.
//
// Code decides what agents may do, and prompts do not. Each rule has a room below this one:
//
//   - ledger records under the session's epoch; prompt, catalog and folder are what the other
//     rooms share
//   - intake judges each message; approval and permission decide what it permits, and hold back
//     the words of people who may not approve; duplicates joins threads about the same
//   - orchestrator has the tools of the agent that leads; evidence looks up what its reports
//     claim, siblings where else the defect is, reproduced whether the report's command still
//     fails; question puts a question to the thread; worker does its tasks, side by side where
//     they do not depend on each other; inquiry asks agents that only read, and knows says who
//     knows the code
//   - runtime runs an agent; worktree gives it files, attachment what people attached; budget
//     holds it to the limits; tested is how the repository is built and tested
//   - delivery proves the change, holds it to its scope, commits and pushes; findings, review
//     and proposal word what was found, criticised and pushed
//   - backport, lookback and pictures work beside the turns, each by jobs of their own
package turn

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/quota"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/orchestrator"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// A Runner runs turns. All of its fields are set once, before the first turn.
type Runner struct {
	Store        *store.Store
	Slack        ledger.Slack
	Model        *model.Client
	Agents       map[string]agent.Agent
	Repositories []catalog.Repository
	Skills       []skill.Skill  // the built-in ones, and the operator's over them
	Secrets      *redact.Finder // masked wherever text leaves, and kept out of commits; nil: none is
	Log          *slog.Logger
	Metrics      *metrics.Metrics   // nil: nothing is counted
	Readers      duplicates.Readers // who may read what; nil: threads are told of no others
	Machine
	Bounds

	askRule permission.AskRule // nil: permission.Permissions.AskedBy; a control has another
}

// A Machine is what a runner works with on its own machine.
type Machine struct {
	Mirrors    *repo.Mirrors
	Sandbox    *sandbox.Sandbox // nil: commands are off
	SandboxOff string           // why commands are off, and what to do about it
	Checker    *testrun.Checker // nil with Sandbox
	Folders    folder.Folders   // of the sessions, with their workspaces
}

// Bounds say how far a session goes before it waits, or people are asked.
type Bounds struct {
	Limits     quota.Limits            // on what sessions may use before people are asked
	Patience   time.Duration           // a wait for a model, or for packages twice, that is longer is told in the thread; 10 s where zero
	Attempts   int                     // failed attempts at a task before the consultant is asked; 2 where zero
	Unanswered time.Duration           // after which a question takes its recommended answer; 24 h where zero, never where negative
	HunkTime   time.Duration           // for trying which hunks of a fix are needed; none where zero
	LooksBack  bool                    // it is looked for since when, and on which releases, a bug is there
	Seats      queue.ConcurrencyLimits // how many sessions may be at work, over all replicas
}

// pulse is how often a turn looks whether it was stopped or fenced: a stop has to act
// within two seconds.
const pulse = 400 * time.Millisecond

var errStopped = errors.New("a person asked to stop")

// Run takes the session as far as it goes.
func (r *Runner) Run(ctx context.Context, session string) error {
	begun, err := r.Store.Begin(ctx, session)
	if err != nil {
		return err
	}
	t := r.openTurn(begun)
	if paused, err := t.restPaused(ctx); paused || err != nil {
		return err
	}
	for {
		again, err := t.runOnce(ctx)
		if errors.Is(err, store.ErrFenced) {
			t.Log.Info("turn fenced off by a later one")
			return nil
		}
		if err != nil || !again {
			return err
		}
	}
}

// GiveUp ends a session whose turns keep failing on our side.
func (r *Runner) GiveUp(ctx context.Context, session string, cause error) error {
	begun, err := r.Store.Begin(ctx, session)
	if err != nil {
		return err
	}
	t := r.openTurn(begun)
	if err := t.Intake.JudgeAll(ctx); err != nil {
		return t.setAside(ctx, err)
	}
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: ledger.Rest, ClearStop: true},
		store.Lines(t.ProgramLine("Something failed on my side ("+prompt.FirstLine(cause.Error())+"). Nothing was pushed since. Reply here and I try again; whoever runs me finds more in the log.")),
	)
}

// errPaused ends what goes on where whoever runs the program paused it.
var errPaused = errors.New("paused by whoever runs the program")

// errMoved ends what goes on in a repository that the session is not about any more.
var errMoved = errors.New("a person chose another repository")

// afterJudged acts on what was recorded: a stop ends the turn, and a word that makes what is
// under way pointless ends that.
func (t *turn) afterJudged(m incoming.Message, f []store.Part) {
	if t.Session().Phase == workflow.PhaseStopped && t.halt != nil {
		t.halt(errStopped)
	}
	if p := t.Trees.Current(); p != nil && p.Repository.Name != t.Session().Repository && t.halt != nil {
		t.halt(errMoved)
	}
	if handled, _ := ledger.Find[inbox.Handled](f); handled.ForAgents && m.Kind != incoming.Action && m.Kind != incoming.Sent && m.Kind != incoming.Remark && intent.Redirects(m.Text) {
		t.Runtime.CancelSteps()
	}
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
	if errors.Is(context.Cause(ctx), errPaused) && parent.Err() == nil {
		_, err := t.restPaused(parent)
		return false, err
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
	var stopped []any
	for _, k := range tasks {
		if k.State == workflow.TaskOpen || k.State == workflow.TaskWorking {
			k.State, k.Summary = workflow.TaskFailed, "stopped by a person; what it changed so far is still in the workspace"
			stopped = append(stopped, progress.Task{Task: k})
		}
	}
	j, err := t.Runtime.OpenTranscript(ctx, 0, t.Agents[agent.Orchestrator])
	if err != nil {
		return err
	}
	var closing []model.Message
	for _, call := range agent.Unanswered(j.Messages()) {
		closing = append(closing, model.Message{Role: model.ToolRole, CallID: call.ID, Text: "Interrupted: a person said stop. Read what is written next before you go on."})
	}
	return j.Append(ctx, agent.Entry{Messages: closing, Writes: stopped})
}

// watchSession ends ctx when a person said stop or another turn took over, and judges what people
// write while agents are busy, so that what it makes pointless is cancelled.
func (t *turn) watchSession(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	unseen := tracing.Quiet(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p, err := t.Pulse(unseen)
		switch {
		case err != nil:
			continue // a database that is away for a moment stops nothing
		case !p.Mine:
			cancel(store.ErrFenced)
		case p.Stop:
			cancel(errStopped)
		case p.Paused:
			cancel(errPaused)
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
	ready := false
	err := tracing.Do(ctx, "open the repository", func(ctx context.Context) (err error) {
		ready, err = t.Trees.Open(ctx)
		return err
	})
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
	tools := append(decision.Leading(&orchestrator.Tools{Orchestrator: t.Orchestrator}), t.Runtime.ReadingTools(bench)...)
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
