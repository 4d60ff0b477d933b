package worker

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

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
			ran, _ := w.(tool.NumberedCheck)
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
		"Fix that first; where it is not the change's fault, call done once more.\n" + red.text
}
