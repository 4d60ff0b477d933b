// Package turn takes one session as far as it goes: it judges what people wrote, lets the
// agents work, records what they decide, and moves the phase on.
//
// A turn begins when the queue hands over the session's job. It fences every earlier turn
// of the session, judges the messages that nobody judged yet (intake.go), opens the
// repository (place.go), and runs the orchestrator's loop over its journal until a tool
// ends it. Whatever it does is recorded before it is shown, so a turn that dies is done
// again from rows alone: a call without a result is called again, tasks are found by the
// call that made them, commits come out with the same hash, and a push is looked up
// before it is made.
//
// What agents may do is decided here and not in prompts: nothing is delegated without an
// approval row of the newest report (lead.go), tasks that need nothing from each other run
// side by side in trees of their own (tasks.go), no task ends and nothing is pushed without
// the proof and what its skill asks for (worker.go, gates.go, finish.go), what stands
// outside a scope is taken out (scope.go), and only people's words and clicks, judged by
// code, make a permission (intake.go, permission.go, approve.go). Once work is approved, or
// somebody stopped it, the words of people who may not approve reach no agent until
// somebody who may passes them on (heldback.go). Questions to agents that only read run
// beside the work (inquiry.go).
package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/queue"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/testrun"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// Slack is what a turn asks Slack for; it is read fresh for each decision.
type Slack interface {
	Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error)
	// Earlier is what was said in the thread before and beside the bot, oldest first.
	Earlier(ctx context.Context, thread workflow.Thread) ([]workflow.Said, error)
	// Reread is one message as the thread has it now, with what was shared with it.
	Reread(ctx context.Context, thread workflow.Thread, ts string) (text string, files []workflow.Attachment, found bool, err error)
	// Readable is a text with names in place of ids.
	Readable(ctx context.Context, text string) string
	// Fetch reads a file that somebody attached.
	Fetch(ctx context.Context, a workflow.Attachment) (workflow.Attachment, error)
	// Group is who is in a user group (S…).
	Group(ctx context.Context, group string) ([]string, error)
}

// A Repository is one that the configuration names.
type Repository struct {
	remote.Remote
	Base         string // branch; empty: the remote's default
	Channels     []string
	Private      bool // threads of other channels cannot be about it
	Approvers    workflow.Approvers
	BranchPrefix string // default bobbin/
	Closed       bool   // its code is shown to full members only
	Build, Test  string // found out where empty
	Scope        string
	CodeURL      string          // of a line of code, with {commit}, {path} and {line}; empty: there are no such pages
	Setup        packages.Config // how the packages that it names are fetched
}

// A Runner runs turns. All of its fields are set once, before the first turn.
type Runner struct {
	Store        *store.Store
	Slack        Slack
	Model        *model.Client
	Agents       map[string]agent.Agent
	Repositories []Repository
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

	askRule askRule // nil: askedBy; a control has another
	holds   holds
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
	t := r.open(begun)
	for {
		again, err := t.once(ctx)
		if errors.Is(err, store.ErrFenced) {
			t.log.Info("turn fenced off by a later one")
			return nil
		}
		if err != nil || !again {
			return err
		}
	}
}

// once runs until the session rests or is stopped; after a stop it is called again, to
// judge who said so.
func (t *turn) once(parent context.Context) (again bool, err error) {
	defer t.Trees.Folders.hold(t.Session().ID)()
	ctx, cancel := context.WithCancelCause(parent)
	t.halt, t.Inquiries.asides = cancel, map[int64]chan struct{}{}
	watched := make(chan struct{})
	go func() { defer close(watched); t.watch(ctx, cancel) }()
	defer t.Trees.leave()
	defer func() { cancel(nil); <-watched; t.Inquiries.endAsides() }()

	err = t.advance(ctx)
	if errors.Is(context.Cause(ctx), errStopped) && parent.Err() == nil {
		return true, t.interrupt(parent)
	}
	if errors.Is(context.Cause(ctx), errMoved) && parent.Err() == nil {
		return true, nil
	}
	if errors.Is(context.Cause(ctx), store.ErrFenced) {
		return false, store.ErrFenced
	}
	if cause := context.Cause(ctx); cause != nil && diskWords(cause) != "" {
		err = cause // an agent beside the work came upon it
	}
	return false, t.diskFailed(parent, err)
}

// interrupt judges who said stop. Where that stopped the session, calls that were under
// way are answered as interrupted, so that what is written next is read first.
func (t *turn) interrupt(ctx context.Context) error {
	if err := t.Intake.intake(ctx); err != nil || t.Session().Phase != workflow.PhaseStopped {
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
	if err := t.Inquiries.dropInquiries(ctx); err != nil {
		return err
	}
	j, err := t.Runtime.journal(ctx, 0, t.Agents[agent.Orchestrator])
	if err != nil {
		return err
	}
	j.add(stopped...)
	var closing []model.Message
	for _, call := range agent.Unanswered(j.messages) {
		closing = append(closing, model.Message{Role: model.ToolRole, CallID: call.ID, Text: "Interrupted: a person said stop. Read what is written next before you go on."})
	}
	return j.Append(ctx, 0, closing...)
}

// watch ends ctx when a person said stop or another turn took over, and judges what people
// write while agents are busy, so that what it makes pointless is cancelled.
func (t *turn) watch(ctx context.Context, cancel context.CancelCauseFunc) {
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
		case p.Unhandled && t.Trees.here() != nil:
			if err := t.hear(ctx); err != nil && ctx.Err() == nil {
				t.log.Warn("judge what was written meanwhile", "err", err)
			}
		}
	}
}

// hear judges what people wrote, and begins what that asks for beside the work.
func (t *turn) hear(ctx context.Context) error {
	if err := t.Intake.intake(ctx); err != nil {
		return err
	}
	return t.Inquiries.beginAsides(ctx)
}

// advance is the turn itself: the orchestrator works, and questions to agents that only
// read are answered beside it; what they say may open the session again.
func (t *turn) advance(ctx context.Context) error {
	if err := t.Intake.intake(ctx); err != nil {
		return err
	}
	if waits, err := t.Inquiries.pending(ctx); err != nil || !waits && !t.Session().Open {
		return err
	}
	ready, err := t.Trees.enter(ctx)
	if err != nil || !ready {
		return err
	}
	t.Work()
	for {
		if err := t.Inquiries.beginAsides(ctx); err != nil {
			return err
		}
		if t.Session().Open {
			if err := t.orchestrate(ctx); err != nil {
				return err
			}
		}
		t.Inquiries.endAsides()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !t.Session().Open {
			return nil
		}
	}
}

// orchestrate runs the orchestrator over its journal.
func (t *turn) orchestrate(ctx context.Context) error {
	row := t.Agents[agent.Orchestrator]
	j, err := t.Runtime.journal(ctx, 0, row)
	if err != nil {
		return err
	}
	if len(j.messages) == 0 {
		if err := t.Orchestrator.brief(ctx, j); err != nil {
			return err
		}
	}
	bench, err := t.Runtime.bench()
	if err != nil {
		return err
	}
	bench.Ran = j.ran
	tools := append(agent.Leading(&lead{Orchestrator: t.Orchestrator, journal: j}), t.Runtime.reading(bench)...)
	loop := t.Runtime.loop(ctx, row, j, append(tools, t.Runtime.skillTool()))
	end, err := loop.Run(ctx)
	if err != nil {
		return t.modelFailed(ctx, err)
	}
	if end != agent.EndTool {
		return t.strand(ctx, row, end)
	}
	return nil
}

func (r *Runtime) loop(ctx context.Context, row agent.Agent, j *journal, tools []model.Tool) *agent.Loop {
	return &agent.Loop{
		Agent: row, Tools: tools, Journal: j, Ask: r.asking(j), May: r.Budget.may, Log: r.log,
		CacheKey: fmt.Sprintf("%s-%s-%d", r.Session().ID, row.Name, j.task),
		Step:     r.step, Overtaken: []string{"run", "check"},
		Retrying: func(a model.Again) { r.retrying(ctx, a) },
	}
}

// step is the context of one model call or command: overtake ends it.
func (r *Runtime) step(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == nil {
		r.steps = map[*context.CancelCauseFunc]bool{}
	}
	r.steps[&cancel] = true
	return ctx, func() {
		r.mu.Lock()
		delete(r.steps, &cancel)
		r.mu.Unlock()
		cancel(nil)
	}
}

// overtake cancels the model calls and commands that are under way: somebody wrote what
// makes them pointless.
func (r *Runtime) overtake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for cancel := range r.steps {
		(*cancel)(agent.ErrOvertaken)
	}
}

// here is where the turn works; nil before it entered.
func (t *Trees) here() *place {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.place
}

// GiveUp ends a session whose turns keep failing on our side.
func (r *Runner) GiveUp(ctx context.Context, session string, cause error) error {
	begun, err := r.Store.Begin(ctx, session)
	if err != nil {
		return err
	}
	t := r.open(begun)
	if err := t.Intake.intake(ctx); err != nil {
		return t.unheard(ctx, err)
	}
	return t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: no, ClearStop: true},
		store.Lines(t.program("Something failed on my side ("+firstLine(cause.Error())+"). Nothing was pushed since. Reply here and I try again; whoever runs me finds more in the log.")),
	)
}

// program is a line in the orchestrator's name that the program itself says.
func (l *Ledger) program(text string, buttons ...workflow.Button) []workflow.Line {
	return []workflow.Line{{Agent: l.Agents[agent.Orchestrator].Signature(), Text: text, Buttons: buttons}}
}

var yes, no = ptr(true), ptr(false)

func ptr[T any](v T) *T { return &v }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return plaintext.CutLine(line, 200)
}
