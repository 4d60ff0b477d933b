package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/workflow"
)

// sideBySide is how many tasks of one session run at once.
const sideBySide = 3

// runTasks runs the tasks of one delegation: each as soon as those before it are done, and
// side by side what does not depend on each other. A task whose forerunner did not get
// done is not begun.
func (w *Workers) runTasks(ctx context.Context, tasks []workflow.Task, a *workflow.Approval) ([]workflow.Task, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := map[int]chan struct{}{}
	for _, k := range tasks {
		ended[k.Number] = make(chan struct{})
	}
	var mu sync.Mutex
	var running sync.WaitGroup
	var failed []error
	slots := make(chan struct{}, sideBySide)
	state := func(n int) workflow.Task {
		mu.Lock()
		defer mu.Unlock()
		return tasks[slices.IndexFunc(tasks, func(k workflow.Task) bool { return k.Number == n })]
	}
	for i := range tasks {
		running.Go(func() {
			defer close(ended[tasks[i].Number])
			k, err := w.after(ctx, state(tasks[i].Number), ended, state)
			if err == nil && k.State != workflow.TaskBlocked {
				slots <- struct{}{}
				k, err = w.work(ctx, k, a)
				<-slots
			}
			mu.Lock()
			defer mu.Unlock()
			tasks[i] = k
			if err != nil {
				failed = append(failed, err)
				if !errors.As(err, new(*limitError)) { // the others come to it before their next step, and what they asked for until then is not lost
					cancel()
				}
			}
		})
	}
	running.Wait()
	return tasks, first(failed)
}

// first is the error that the others followed from.
func first(list []error) error {
	for _, err := range list {
		if !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(list...)
}

// after waits until the tasks before k have ended. One that did not get done blocks k.
func (w *Workers) after(ctx context.Context, k workflow.Task, ended map[int]chan struct{}, state func(int) workflow.Task) (workflow.Task, error) {
	for _, n := range k.After {
		wait, here := ended[n]
		if !here {
			continue // of an earlier delegation
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return k, ctx.Err()
		}
		before := state(n)
		if before.State == workflow.TaskOpen || before.State == workflow.TaskWorking { // it rests at a limit
			return k, context.Canceled
		}
		if before.State != workflow.TaskDone && k.State == workflow.TaskOpen {
			k.State, k.Summary = workflow.TaskBlocked, fmt.Sprintf("not begun, since task %d is %s", n, before.State)
			return k, w.keepTask(ctx, k)
		}
	}
	return k, nil
}

// tree is where a task works: in the session's own tree, or apart in a fork of it.
func (t *Trees) tree(ctx context.Context, k *workflow.Task, begun bool) (_ *repo.Workspace, err error) {
	work := t.here().work
	if !k.Apart {
		switch {
		case k.StartTree != "":
		case begun:
			k.StartTree, err = t.startedFrom(ctx, work)
		default:
			k.StartTree, err = work.Tree(ctx)
		}
		return work, err
	}
	t.merging.Lock()
	defer t.merging.Unlock()
	fork, start, err := work.Fork(ctx, t.dir(fmt.Sprintf("task-%d", k.Number)))
	if err != nil {
		return nil, fmt.Errorf("open a tree for task %d: %w", k.Number, err)
	}
	//crash:fork_made
	if k.StartTree == "" { // nothing was recorded of it yet
		k.StartTree = start
		if err := t.remember(ctx, fork, k.ID); err != nil {
			return nil, err
		}
	} else if err := t.recall(ctx, t.here().mirror, fork, k.ID); err != nil {
		return nil, err
	}
	return fork, t.own(fork)
}

// startedFrom is what a task began with that an earlier version of the program began, which
// did not keep it: what was verified last, else what the session stands on. The files as
// they are now are not it: the task has changed them.
func (t *Trees) startedFrom(ctx context.Context, work *repo.Workspace) (string, error) {
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

// merge brings what a task did in its own tree into the session's. What clashes with
// others' work is told as words, and nothing is changed then. What the session's tree is
// now is recorded before the next task may merge, or an older state could overwrite it.
func (t *Trees) merge(ctx context.Context, k workflow.Task, fork *repo.Workspace) (clash string, err error) {
	t.merging.Lock()
	defer t.merging.Unlock()
	work := t.here().work
	tree, err := fork.Tree(ctx)
	if err != nil {
		return "", err
	}
	conflicts, err := work.Merge(ctx, fork, k.StartTree, tree)
	if err != nil {
		return "", fmt.Errorf("merge task %d: %w", k.Number, err)
	}
	//crash:task_merged
	if len(conflicts) == 0 {
		return "", errors.Join(t.own(work), t.remember(ctx, work, 0))
	}
	lines := []string{"It was verified in a tree of its own, but others changed the same places meanwhile. Delegate this as a task: bring the following change into the tree as it is now, keeping both intentions."}
	for _, c := range conflicts {
		lines = append(lines, fmt.Sprintf("%s: %s", c.Path, c.Why))
	}
	if diff, err := fork.Diff(ctx); err == nil {
		lines = append(lines, fence("diff", cutTo(diff, 24<<10)))
	}
	return strings.Join(lines, "\n"), nil
}
