package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// workerTools returns the worker's tools: all that read, run and write, on its workspace.
func (t *task) workerTools(env *tool.Env) []model.Tool {
	own := func(context.Context) error { return t.Trees.LetCommandsWrite(t.tree) }
	tools := append(decision.Working(t), t.Runtime.SkillTool())
	t.Runtime.LetNameTests(env, t.transcript.Agent.Signature())
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
		tools = append(tools, t.namingChanges(t.Runtime.AroundRun(run, own)))
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

// maxChanged is how many files are named that a command changed.
const maxChanged = 5

// namingChanges wraps a tool that runs commands. The state of the files is recorded with its result, which
// names the files that differ from the last known state: what the agent read of them is out of date.
func (t *task) namingChanges(run model.Tool) model.Tool {
	call := run.Call
	run.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		before := t.Trees.LatestTree(t.task.TreeOwner())
		result, err := call(ctx, args)
		if err != nil {
			return result, err
		}
		parts, err := t.treeParts(ctx)
		if err != nil {
			return result, err
		}
		changed, err := t.changedSince(ctx, before)
		result.Text += changed
		return ledger.WithParts(result, parts...), err
	}
	return run
}

// changedSince names the files of the last known state that differ from a tree, or returns an empty string.
func (t *task) changedSince(ctx context.Context, before string) (string, error) {
	after := t.Trees.LatestTree(t.task.TreeOwner())
	if before == "" || before == after {
		return "", nil
	}
	deltas, err := t.tree.Compare(ctx, before, after)
	if err != nil {
		return "", fmt.Errorf("compare the files with those before the command: %w", err)
	}
	var names []string
	for _, d := range deltas {
		name := plaintext.QuotePath(plaintext.CutLine(d.Path, 200))
		switch {
		case d.Before.None():
			name += " (new)"
		case d.After.None():
			name += " (removed)"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("\nCommands have changed %s since your last run or edit: %s. What you read of them "+
		"before that is out of date.", plaintext.CountNoun(len(names), "file"),
		plaintext.FirstOf(names, maxChanged)), nil
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

// treeParts returns the current state of the task's workspace, to be recorded with the result of the
// call that changed it.
func (t *task) treeParts(ctx context.Context) ([]store.Part, error) {
	s, err := t.Trees.Snapshot(ctx, t.tree, t.task.TreeOwner())
	return worktree.Some(s), err
}
