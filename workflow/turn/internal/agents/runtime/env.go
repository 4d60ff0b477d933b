package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// SkillTool returns the tool with which agents load skills. Skills that only a person's command starts
// are left out.
func (r *Runtime) SkillTool() model.Tool {
	set := r.Trees.Current().Skills
	find := func(name string) (skill.Skill, bool) {
		s, ok := set.Find(name)
		return s, ok && !s.ByCommand
	}
	names := func() []string {
		return slices.DeleteFunc(slices.Clone(set.Names()), func(name string) bool {
			_, ok := find(name)
			return !ok
		})
	}
	return tool.LoadSkill(find, names, nil)
}

// CopyEnv returns the env for the orchestrator's code tools: the session's copy of the repository,
// which they may not write.
func (r *Runtime) CopyEnv() (*tool.Env, error) {
	return r.NewEnv(r.Trees.Current().Copy, func() error {
		return errors.New("the orchestrator does not change files; delegate the change after an approval")
	}, nil)
}

func (r *Runtime) NewEnv(w *git.Workspace, mayWrite func() error, edited func()) (*tool.Env, error) {
	out := r.Folder("output")
	if err := os.MkdirAll(out, 0o700); err != nil {
		return nil, fmt.Errorf("open %s: %w", out, err)
	}
	b := &tool.Env{
		Workspace: w,
		Mirror:    r.Trees.Current().Mirror,
		Page:      r.Trees.Current().Repository.Page(),
		Pull:      tool.Pull{Number: r.Session().Pull, Into: r.Session().PullInto},
		Elsewhere: r.Trees.Current().Elsewhere,
		Folder:    r.Trees.Current().Folder(),
		Commands: tool.Commands{
			Sandbox:       r.Trees.CommandSandbox(),
			SandboxOff:    r.Trees.SandboxOff,
			Project:       r.Trees.Current().Project(),
			BuildCacheDir: r.Folder("build-cache"),
			ScratchDir:    r.Folder("scratch"),
			NextRun:       r.nextRun,
		},
		Repositories: tool.Repositories{
			Own:  r.Trees.Current().Repository.Name,
			Open: r.otherEnv,
		},
		MayWrite:   mayWrite,
		Edited:     edited,
		OutputDir:  out,
		Attachment: r.Attachments.OpenText,
		AttachedAs: r.Attachments.RefOf,
	}
	if r.Trees.Checker != nil {
		b.Checker = r.Trees.Current().Checker
		b.Candidates = func() []project.Candidate { return r.Trees.Current().Candidates(w.Base()) }
	}
	return b, nil
}

// otherEnv returns the env for reading another repository.
func (r *Runtime) otherEnv(ctx context.Context, name string) (*tool.Env, error) {
	o, err := r.Trees.OpenOther(ctx, name)
	if err != nil {
		return nil, err
	}
	env := &tool.Env{
		Workspace: o.Copy, Mirror: o.Mirror, Page: o.Repository.Page(), Folder: o.Repository.Folder(),
	}
	return env.OfRepository(o.Repository.Name), nil
}

// nextRun returns the number of the next run of a command or a check. They are numbered from 1 over all
// agents and turns of the session. The number of a run that was interrupted before it was recorded may be
// used again in a later turn; no agent has seen it.
func (r *Runtime) nextRun(ctx context.Context) (int, error) {
	r.numbering.Lock()
	defer r.numbering.Unlock()
	if r.lastRun == 0 {
		last, err := r.Store.LastNumber(ctx, r.Session().ID)
		if err != nil {
			return 0, err
		}
		r.lastRun = last
	}
	r.lastRun++
	return r.lastRun, nil
}

// ReadingTools returns the code tools of an agent that changes nothing. After each command the files are
// restored, also if the command was interrupted.
func (r *Runtime) ReadingTools(b *tool.Env) []model.Tool {
	tools := tool.Reading(b)
	restore := func(ctx context.Context) error {
		if err := b.Workspace.Restore(ctx, r.Trees.Current().CopyTree); err != nil {
			return err
		}
		return r.Trees.LetCommandsWrite(b.Workspace)
	}
	restoring := func(run model.Tool) model.Tool {
		call := run.Call
		run.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			result, err := call(ctx, args)
			return result, errors.Join(err, restore(context.WithoutCancel(ctx)))
		}
		return run
	}
	for _, run := range tool.Running(b) {
		tools = append(tools, r.AroundRun(restoring(run), nil))
	}
	return append(tools, r.AroundCheck(restoring(tool.Checking(b)), nil))
}

// LetNameTests lets the agent with that signature name the repository's test command in a check.
func (r *Runtime) LetNameTests(b *tool.Env, signature string) {
	tests := r.Trees.Current().Tests
	b.CommandSetter = tool.CommandSetter{
		Current: tests.Project,
		Keep:    tests.Keep,
		Judge: func(line, source string) (project.Project, error) {
			return tests.Judge(signature, line, source)
		},
	}
}

// AroundRun wraps a tool so that it waits for the base's packages and build. It calls before ahead of the
// tool.
func (r *Runtime) AroundRun(inner model.Tool, before func(context.Context) error) model.Tool {
	return r.around(inner, false, before)
}

// AroundCheck wraps a tool so that it waits for the base's tests, too, since it compares its result
// with theirs. It calls before ahead of the tool.
func (r *Runtime) AroundCheck(inner model.Tool, before func(context.Context) error) model.Tool {
	return r.around(inner, true, before)
}

// around implements AroundRun, and AroundCheck if tested is set.
func (r *Runtime) around(
	inner model.Tool, tested bool, before func(context.Context) error,
) model.Tool {
	call := inner.Call
	inner.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		ready := r.Trees.Current().BaseBuilt
		if tested {
			ready = r.Trees.Current().BaseTested
		}
		late, err := r.Trees.LateFacts(ctx, ready)
		if err != nil {
			return model.Result{}, err
		}
		if before != nil {
			if err := before(ctx); err != nil {
				return model.Result{}, err
			}
		}
		end := func() {}
		if !tested { // the Checker tells of its runs itself
			end = r.noteRunning(ctx, inner.Name, args)
		}
		result, err := call(ctx, args)
		end()
		if err == nil {
			err = r.Trees.Folders.CheckSpace()
		}
		if late != "" {
			result.Text += "\n\n" + late
		}
		return result, err
	}
	return inner
}

// ThenRun wraps a tool so that after is called behind it. The parts that after returns are recorded
// with the tool's result.
func ThenRun(inner model.Tool, after func(context.Context) ([]store.Part, error)) model.Tool {
	call := inner.Call
	inner.Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
		result, err := call(ctx, args)
		if err != nil {
			return result, err
		}
		parts, err := after(ctx)
		return ledger.WithParts(result, parts...), err
	}
	return inner
}

// noteRunning stores that a tool is running, for the card and the watchdog's line, until end is called. If
// the row cannot be written, only these lack the command.
func (r *Runtime) noteRunning(ctx context.Context, name string, args json.RawMessage) (end func()) {
	var in struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal(args, &in) // arguments without a command: the tool's name is shown
	done, err := r.UnderWay(ctx, r.SecretFinder().Mask(cmp.Or(plaintext.OneLine(in.Command), name)))
	if err != nil {
		r.Log.Warn("what runs is not kept", "err", err)
		return func() {}
	}
	return func() {
		if err := done(context.WithoutCancel(ctx)); err != nil {
			r.Log.Warn("what ran is not taken away", "err", err)
		}
	}
}
