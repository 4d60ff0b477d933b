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
//     the words of people who may not approve
//   - orchestrator has the tools of the agent that leads; worker does its tasks, side by side
//     where they do not depend on each other; inquiry asks agents that only read
//   - runtime runs an agent; worktree gives it files, attachment what people attached; budget
//     holds it to the limits
//   - delivery proves the change, holds it to its scope, commits and pushes
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
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
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
	Mirrors      *repo.Mirrors
	Sandbox      *sandbox.Sandbox        // nil: commands are off
	SandboxOff   string                  // why, and what to do about it
	Checker      *testrun.Checker        // nil with Sandbox
	Dir          string                  // where sessions' workspaces are
	Skills       []skill.Skill           // the built-in ones, and the operator's over them
	Secrets      *redact.Finder          // masked wherever text leaves, and kept out of commits; nil: none is
	Limits       workflow.Limits         // on what sessions may use before people are asked
	Patience     time.Duration           // a wait for a model, or for packages twice, that is longer is told in the thread; 10 s where zero
	Attempts     int                     // failed attempts at a task before the consultant is asked; 2 where zero
	Unanswered   time.Duration           // after which a question takes its recommended answer; 24 h where zero, never where negative
	Seats        queue.ConcurrencyLimits // how many sessions may be at work, over all replicas
	Log          *slog.Logger

	askRule permission.AskRule // nil: askedBy; a control has another
	holds   folder.Locks
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

// errMoved ends what goes on in a repository that the session is not about any more.
var errMoved = errors.New("a person chose another repository")

// afterJudged acts on what was recorded: a stop ends the turn, and a word that makes what is
// under way pointless ends that.
func (t *turn) afterJudged(m workflow.Message, f []store.Part) {
	if t.Session().Phase == workflow.PhaseStopped && t.halt != nil {
		t.halt(errStopped)
	}
	if p := t.Trees.Current(); p != nil && p.Repository.Name != t.Session().Repository && t.halt != nil {
		t.halt(errMoved)
	}
	if handled, _ := ledger.Find[store.Handled](f); handled.ForAgents && m.Kind != workflow.IncomingAction && m.Kind != workflow.IncomingSent && intent.Redirects(m.Text) {
		t.Runtime.CancelSteps()
	}
}
