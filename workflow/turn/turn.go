// Package turn takes one session as far as it can go without people: it judges what they wrote, lets the
// agents work, records their decisions, and moves the session to its next phase.
//
// A turn begins when a worker of the queue calls [Runner.Run] with the session of its job. The turn
// fences off every earlier turn of the session, judges the new messages (package judge), opens the
// repository (package worktree), and runs the orchestrator's loop until a tool ends it (open.go puts
// these parts together). Everything is recorded before people see it, so a turn that died is repeated
// from rows alone: a tool call without a result is called again, tasks are found by the call that made
// them, commits get the same hash again, and a push is looked up before it is repeated.
//
// Code decides what agents may do, not prompts. Each rule has a room below internal:
//
//   - record: ledger records under the session's epoch; prompt, findings, proposal, catalog and budget hold
//     what the other rooms share
//   - workspace: worktree gives the agents files, attachment those that people
//     attached, and folder keeps them
//   - judge judges each message, by tables of rules; below it, approval and permission decide what a message
//     permits, and hold back those of people who may not approve; objection lets the last word count;
//     duplicates joins threads about the same problem
//   - agents: runtime runs an agent; inquiry asks agents that only read; evidence checks the claims of a
//     report, siblings finds other places with the same defect, experts finds who knows the code, and review
//     holds the critic's verdict
//   - background: backport, lookback and pictures run beside the turns, each in its own jobs
//   - delivery proves the change, confines it to its scope, commits and pushes
//   - tasks: orchestrator has the tools of the leading agent, and worker runs the tasks, in parallel if they
//     do not depend on each other
package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/source"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/duplicates"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/orchestrator"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// A Runner runs turns. All of its fields are set once, before the first turn.
type Runner struct {
	Store        *store.Store
	Slack        ledger.Slack
	Model        *model.Client
	Agents       map[string]agent.Agent
	Repositories []repository.Repository
	// the built-in skills, some replaced by the operator's
	Skills []skill.Skill
	// masked in all text that leaves, and kept out of commits; nil: nothing is masked
	Secrets *redact.Finder
	Log     *slog.Logger
	// whose issues are read where a message names one
	Trackers []*tracker.Tracker
	// MCP servers that agents may ask
	Sources []*source.Source
	// nil: nothing is counted
	Metrics *metrics.Metrics
	// says who may read which thread; nil: threads are told of no other threads
	Readers duplicates.Readers
	// says what people are told who ask for help; nil: only what holds everywhere
	Helper judge.Helper
	// by which messages are read; the zero value has the built-in words
	Words intent.Lexicon
	Machine
	Bounds

	// nil: permission.Permissions.AskedBy; a control of a test sets another rule
	askRule permission.AskRule
}

// A Machine holds what a Runner uses of the machine that it runs on.
type Machine struct {
	Mirrors    *git.Mirrors
	Sandbox    *sandbox.Sandbox // nil: agents cannot run commands
	SandboxOff string           // why Sandbox is nil, and what to do about it
	Checker    *build.Checker   // nil if Sandbox is nil
	Folders    folder.Folders   // the sessions' folders, with their workspaces
}

// Bounds holds how far a session goes before it waits, or before people are asked.
type Bounds struct {
	// what sessions may use before people are asked
	Limits workflow.Limits
	// the thread is told of a longer wait for a model, or of twice that for packages; 0: 10 s
	NoticeAfter time.Duration
	// failed attempts at a task before the consultant is asked; 0: 2
	Attempts int
	// after which a question takes its recommended answer; 0: 24 h, negative: never
	Unanswered time.Duration
	// for testing which hunks of a fix are needed; 0: they are not tested
	HunkTime time.Duration
	// look for the commit that brought a bug, and the releases that have it
	LooksBack bool
	// how many sessions may be at work, over all replicas
	Seats queue.ConcurrencyLimits
}

// pulse is how often a turn checks whether it was stopped or fenced off. A stop has to act within two
// seconds.
const pulse = 400 * time.Millisecond

var errStopped = errors.New("a person asked to stop")

// Run takes the session as far as it can go. It returns nil if a later turn fenced it off. It leaves a
// session that the operator paused as it is.
func (r *Runner) Run(ctx context.Context, session string) error {
	t, err := r.beginTurn(ctx, session)
	if err != nil {
		return err
	}
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

// GiveUp ends a session whose turns keep failing because of the program, and tells the thread the cause.
// If not even its messages can be judged, it sets those aside instead.
func (r *Runner) GiveUp(ctx context.Context, session string, cause error) error {
	t, err := r.beginTurn(ctx, session)
	if err != nil {
		return err
	}
	if err := queue.CatchPanic(func() error { return t.Judge.JudgeAll(ctx) }); err != nil {
		return t.setAside(ctx, err)
	}
	pushed, err := t.Trees.Catalog.PushedSince(ctx)
	if err != nil {
		return err
	}
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: ledger.Rest, ClearStop: true},
		store.Lines(t.ProgramLine(fmt.Sprintf("Something failed on my side (%s). %s Reply here and I try "+
			"again; my operator finds more in the log.", prompt.FirstLine(cause.Error()), pushed))))
}

// errPaused ends a turn when the operator has paused the session's repository, its channel or
// everything.
var errPaused = errors.New("paused by the operator")

// errRepositoryChanged ends a run when a person has chosen another repository or another branch for the
// session. The turn then goes on with that one.
var errRepositoryChanged = errors.New("a person chose another repository or branch")

// errTestsChanged ends a run when a member has said how the repository is tested. The turn then goes on with
// that command, and tries it on the base first.
var errTestsChanged = errors.New("a person said how it is tested")

// afterJudged acts on a judgement that was recorded: a stop or another repository ends the current run,
// and a message that makes the current steps of the agents pointless cancels those.
func (t *turn) afterJudged(m intent.Message, f []store.Part) {
	t.heard.Store(true)
	stop, _ := ledger.Find[consent.Decision](f)
	if stepStopped := stop.What == workflow.DecideStop &&
		stop.Allowed; (stepStopped || t.Session().Phase == workflow.PhaseStopped) &&
		t.halt != nil {
		t.halt(errStopped)
	}
	if p := t.Trees.Current(); p != nil && t.halt != nil &&
		(p.Repository.Name != t.Session().Repository || t.Session().BaseCommit == "") {
		t.halt(errRepositoryChanged)
	}
	if _, ordered := ledger.Find[merges.Order](f); ordered && t.Trees.Current() != nil && t.halt != nil {
		t.halt(errRepositoryChanged) // the session has another base commit now
	}
	if _, told := ledger.Find[progress.TestCommand](f); told && t.Trees.Current() != nil && t.halt != nil {
		t.halt(errTestsChanged)
	}
	if handled, _ := ledger.Find[inbox.Handled](f); handled.ForAgents && m.Kind != workflow.MessageAction &&
		m.Kind != workflow.MessageSent && m.Kind != workflow.MessageRemark && m.Says.Redirects {
		t.Runtime.CancelSteps()
	}
}

// runOnce runs until the session rests or the run is ended. again says that it has to be called again:
// after a stop, or after the choice of another repository.
func (t *turn) runOnce(parent context.Context) (again bool, err error) {
	defer t.Trees.Folders.Pin(t.Session().ID)()
	ctx, cancel := context.WithCancelCause(parent)
	t.halt = cancel
	t.Inquiries.Started = map[int64]chan struct{}{}
	t.rests = false
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		t.watchSession(ctx, cancel)
	}()
	defer t.Trees.Close()
	defer t.Runtime.Sources.Close()
	defer func() {
		cancel(nil)
		<-watched
		t.Inquiries.WaitStarted()
	}()

	err = t.advanceSession(ctx)
	if errors.Is(context.Cause(ctx), errStopped) && parent.Err() == nil {
		return true, t.judgeStop(parent)
	}
	cause := context.Cause(ctx)
	if (errors.Is(cause, errRepositoryChanged) || errors.Is(cause, errTestsChanged)) && parent.Err() == nil {
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
		err = cause // an agent that works in parallel met the error
	}
	return false, t.sayDiskFailed(parent, err)
}

// judgeStop judges the message that asked for the stop. If it stopped the session, the open tasks fail and
// their work is kept. If it ended at least the step that was under way, the open tool calls are answered as
// interrupted, so that agents read the next message first. What asked for the stop is over in any case: if it
// stood, it would end every further run.
func (t *turn) judgeStop(ctx context.Context) error {
	if err := t.Judge.JudgeAll(ctx); err != nil {
		return err
	}
	if err := t.Record(ctx, store.Update{ClearStop: true}); err != nil || t.Session().Open {
		return err
	}
	var tasks []workflow.Task
	if t.Session().Phase == workflow.PhaseStopped {
		var err error
		if tasks, err = t.Store.Tasks(ctx, t.Session().ID, ""); err != nil {
			return err
		}
	}
	// The trees may be opened here for the first time since the program began: their
	// tests of the base end with this.
	trees, cancel := context.WithCancel(ctx)
	defer cancel()
	var stopped []store.Part
	said := "Interrupted: a person said stop. Read what is written next before you go on."
	for _, k := range tasks {
		if k.State != workflow.TaskOpen && k.State != workflow.TaskWorking {
			continue
		}
		clash, err := t.keepStopped(trees, k)
		switch {
		case errors.Is(err, store.ErrFenced) || err != nil && ctx.Err() != nil:
			return err
		case err != nil: // the stop is recorded and has to be finished
			t.Log.Error("keep the work of a stopped task", "task", k.Number, "err", err)
			clash = "it could not be merged (" + err.Error() + "). Delegate it again."
		}
		k.State = workflow.TaskFailed
		k.Summary = "stopped by a person; what it changed so far is still in the workspace"
		if clash != "" {
			k.Summary = "stopped by a person; what it changed so far is in a tree of its own, " +
				"and not in the workspace"
			said += fmt.Sprintf("\nThe change of task %d is not in the files: %s", k.Number, clash)
		}
		stopped = append(stopped, progress.Task{Task: k})
	}
	j, err := t.Runtime.OpenTranscript(ctx, 0, t.Agents[agent.Orchestrator])
	if err != nil {
		return err
	}
	var closing []model.Message
	for _, call := range agent.Unanswered(j.Messages()) {
		closing = append(closing, model.Message{Role: model.ToolRole, CallID: call.ID, Text: said})
	}
	return j.Append(ctx, agent.Entry{Messages: closing, Writes: ledger.Writes(stopped...)})
}

// keepStopped merges what a stopped task had changed in its fork into the session's own workspace. If that
// cannot be opened, or the change clashes, it returns why, as worktree.Trees.MergeTask does.
func (t *turn) keepStopped(ctx context.Context, k workflow.Task) (clash string, err error) {
	if !k.Apart || k.StartTree == "" { // it worked there, or has changed nothing
		return "", nil
	}
	if _, err := t.Trees.Open(ctx); err != nil {
		return "", err
	}
	if p := t.Trees.Current(); p == nil || p.Work == nil {
		return "its own tree could not be opened. Delegate it again.", nil
	}
	fork, err := t.Trees.OpenTaskTree(ctx, &k, true)
	if err != nil {
		return "", err
	}
	defer fork.Close()
	return t.Trees.MergeTask(ctx, k, fork)
}

// watchSession cancels ctx when a person said stop, the operator paused, or another turn took over. It
// also judges what people write while agents are busy, so that work which a message makes pointless is
// cancelled.
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
		p, err := t.Status(unseen)
		switch {
		case err != nil:
			continue // a database that is unavailable for a moment stops nothing
		case !p.Current:
			cancel(store.ErrFenced)
		case p.StopRequested:
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

// judgeMeanwhile judges what people wrote, and starts the inquiries that they asked for in parallel to
// the work. It leaves what comes while the run ends to the next run, which answers it.
func (t *turn) judgeMeanwhile(ctx context.Context) error {
	t.hearing.Lock()
	defer t.hearing.Unlock()
	if t.rests {
		return nil
	}
	if err := t.Judge.JudgeAll(ctx); err != nil {
		return err
	}
	return t.Inquiries.StartOpen(ctx)
}

// advanceSession runs the orchestrator, and answers inquiries in parallel to it, until the session is
// not open any more. An answer may open the session again.
func (t *turn) advanceSession(ctx context.Context) error {
	if err := t.Judge.JudgeAll(ctx); err != nil {
		return err
	}
	if err := t.Inquiries.AnswerDiffs(ctx); err != nil {
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
	if err := t.showResumed(ctx); err != nil {
		return err
	}
	for {
		if err := t.Inquiries.StartOpen(ctx); err != nil {
			return err
		}
		if t.Session().Open {
			merged, err := t.Orchestrator.Delivery.FinishMerge(ctx)
			if err != nil {
				return err
			}
			if !merged {
				err = t.runOrchestrator(ctx)
			}
			if err != nil {
				return err
			}
		}
		t.Inquiries.WaitStarted()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if rests, err := t.rest(ctx); rests || err != nil {
			return err
		}
	}
}

// showResumed lets the thread see that the orchestrator goes on with what an earlier turn began: the bot was
// restarted, or another machine has the session now.
func (t *turn) showResumed(ctx context.Context) error {
	if !t.Store.Signs || !t.Session().Open || t.heard.Load() {
		return nil
	}
	return t.Record(ctx, store.Sign{
		Of: fmt.Sprintf("turn:%d", t.Session().Epoch), Line: t.ProgramLine("Going on with it …")[0],
	})
}

// rest ends the run if nothing is left to do, and reports whether it did. A message that was judged just now
// may have asked an agent that only reads, or opened the session. If it opened the session just before a tool
// closed it, the orchestrator has not read it, and rest opens the session again. No message is judged any
// more in a run that rests: nobody would answer it.
func (t *turn) rest(ctx context.Context) (bool, error) {
	t.hearing.Lock()
	defer t.hearing.Unlock()
	waits, err := t.Inquiries.HasUnfinished(ctx)
	if err != nil || waits || t.Session().Open {
		return false, err
	}
	unread, err := t.Runtime.Unread(ctx)
	if err != nil {
		return false, err
	}
	if p := t.Session().Phase; len(unread) > 0 && p != workflow.PhaseStopped && p != workflow.PhasePaused {
		return false, t.Record(ctx, t.Judge.Wake(unread[len(unread)-1]))
	}
	t.rests = true
	return true, nil
}

// runOrchestrator runs the orchestrator's loop over its transcript.
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
	env, err := t.Runtime.CopyEnv()
	if err != nil {
		return err
	}
	t.Runtime.LetNameTests(env, row.Signature())
	own := &orchestrator.Tools{Orchestrator: t.Orchestrator}
	leading := decision.Leading(own)
	if t.Session().Pull != 0 { // it stays so, unless a person chooses another branch
		leading = append(leading, decision.ReviewingPull(own.Review)...)
	}
	tools := append(orchestrator.Amendable(leading, j.Messages),
		decision.ReadingThread(own.ReadThread))
	tools = append(tools, t.Runtime.ReadingTools(env)...)
	outside, err := t.Runtime.Sources.Tools(ctx)
	if err != nil {
		return err
	}
	loop := t.Runtime.NewLoop(ctx, row, j, slices.Concat(tools, []model.Tool{t.Runtime.SkillTool()}, outside))
	end, err := loop.Run(ctx)
	if err != nil {
		return t.sayModelFailed(ctx, err)
	}
	if end != agent.EndTool {
		return t.sayStranded(ctx, row, end)
	}
	return nil
}
