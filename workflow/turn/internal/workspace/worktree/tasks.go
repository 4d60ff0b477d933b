package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// OpenTaskTree returns the workspace that a task works in: the session's own, or a fork of it if the
// task runs apart. It sets k.StartTree to the tree that the task began with. begun says that the task
// has begun in an earlier turn. It returns a *gittree.PathError if the task runs apart and the session's files
// cannot be committed.
func (t *Trees) OpenTaskTree(ctx context.Context, k *workflow.Task, begun bool) (_ *git.Workspace, err error) {
	work := t.Current().Work
	if !k.Apart {
		switch {
		case k.StartTree != "":
		case begun:
			k.StartTree, err = t.taskStart(ctx, work)
		default:
			k.StartTree, err = work.Tree(ctx)
			if errors.As(err, new(*git.PathError)) { // the task may be to remove what no commit can hold
				var last *progress.Snapshot
				if last, err = t.Store.Snapshot(ctx, t.Session().ID, 0); last != nil {
					k.StartTree = last.Tree
				}
			}
		}
		return work, err
	}
	t.merging.Lock()
	defer t.merging.Unlock()
	fork, start, err := work.Fork(ctx, t.Folder(fmt.Sprintf("task-%d", k.Number)))
	if err != nil {
		return nil, fmt.Errorf("open a tree for task %d: %w", k.Number, err)
	}
	failpoint.Crash("fork_made")
	if k.StartTree == "" { // the fork was not recorded yet
		k.StartTree = start
		if err := t.RecordTree(ctx, fork, k.ID); err != nil {
			return nil, err
		}
	} else if err := t.restoreRecorded(ctx, t.Current().Mirror, fork, k.ID); err != nil {
		return nil, err
	}
	return fork, t.LetCommandsWrite(fork)
}

// taskStart returns the tree that a task began with if an earlier version of the program began the task
// and did not store it: the newest verified tree, otherwise the session's head or base. It is not the
// current tree, which the task has changed.
func (t *Trees) taskStart(ctx context.Context, work *git.Workspace) (string, error) {
	s := t.Session()
	tasks, err := t.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return "", err
	}
	for _, k := range slices.Backward(tasks) {
		attempts, err := t.Store.Attempts(ctx, k.ID)
		if err != nil {
			return "", err
		}
		for _, a := range slices.Backward(attempts) {
			if tree, err := work.TreeOf(a.Tree); err == nil && a.Held && s.Head == "" {
				return tree, nil
			}
		}
	}
	tree, err := work.TreeOf(cmp.Or(s.Head, s.BaseCommit))
	if err != nil {
		return "", fmt.Errorf("find what the task began with: %w", err)
	}
	return tree, nil
}

// MergeTask merges the change of a task's fork into the session's own workspace, and records the new
// state before the next task may merge, since a later record of an older state would overwrite it. On a
// conflict, or if files cannot be committed, it changes nothing and returns a text about it for the orchestrator, the
// rest of a sentence.
func (t *Trees) MergeTask(ctx context.Context, k workflow.Task, fork *git.Workspace) (clash string, err error) {
	t.merging.Lock()
	defer t.merging.Unlock()
	work := t.Current().Work
	tree, err := fork.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		return unfit.Error(), nil
	}
	if err != nil {
		return "", err
	}
	conflicts, err := work.Merge(ctx, fork, k.StartTree, tree)
	if errors.As(err, &unfit) {
		return unfit.Error(), nil
	}
	if err != nil {
		return "", fmt.Errorf("merge task %d: %w", k.Number, err)
	}
	failpoint.Crash("task_merged")
	if len(conflicts) == 0 {
		return "", errors.Join(t.LetCommandsWrite(work), t.RecordTree(ctx, work, 0))
	}
	lines := []string{"others changed the same places meanwhile. Delegate this as a task: bring the following change into the tree as it is now, keeping both intentions."}
	for _, c := range conflicts {
		lines = append(lines, fmt.Sprintf("%s: %s", c.Path, c.Why))
	}
	if diff, err := fork.Diff(ctx); err == nil {
		lines = append(lines, prompt.Fence("diff", prompt.CutBytes(diff, 24<<10)))
	}
	return strings.Join(lines, "\n"), nil
}
