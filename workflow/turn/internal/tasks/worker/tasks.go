package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
)

// sideBySide is how many tasks of one session run at once.
const sideBySide = 3

// RunTasks runs the tasks of one delegation, each as soon as those that it waits for are done, at most
// sideBySide in parallel. A task is blocked if one that it waits for is not done.
func (w *Workers) RunTasks(
	ctx context.Context, tasks []workflow.Task, a *workflow.Approval,
) ([]workflow.Task, error) {
	return w.runInOrder(ctx, tasks,
		func(ctx context.Context, k workflow.Task) (workflow.Task, error) { return w.runTask(ctx, k, a) })
}

// runInOrder implements RunTasks; run runs one task.
func (w *Workers) runInOrder(ctx context.Context, tasks []workflow.Task, run func(
	context.Context, workflow.Task,
) (workflow.Task, error),
) ([]workflow.Task, error) {
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
			k, err := w.awaitEarlier(ctx, state(tasks[i].Number), ended, state)
			if err == nil && k.State != workflow.TaskBlocked {
				slots <- struct{}{}
				k, err = run(ctx, k)
				<-slots
			}
			mu.Lock()
			defer mu.Unlock()
			tasks[i] = k
			if err != nil {
				failed = append(failed, err)
				// At a limit, the other tasks meet it before their next step, and keep the answers
				// that they asked for until then.
				if !errors.As(err, new(*budget.LimitError)) && !errors.Is(err, errRests) {
					cancel()
				}
			}
		})
	}
	running.Wait()
	return tasks, firstError(failed)
}

// errRests means that a task was not begun, since one that it waits for rests at a limit.
var errRests = errors.New("a task before it rests at a limit")

// firstError returns the error that caused the others, whose tasks were only cancelled or not begun.
func firstError(list []error) error {
	for _, err := range list {
		if !errors.Is(err, context.Canceled) && !errors.Is(err, errRests) {
			return err
		}
	}
	return errors.Join(list...)
}

// awaitEarlier waits until the tasks before k have ended. It blocks k if one of them is not done.
func (w *Workers) awaitEarlier(
	ctx context.Context, k workflow.Task, ended map[int]chan struct{}, state func(int) workflow.Task,
) (workflow.Task, error) {
	for _, n := range k.After {
		wait, here := ended[n]
		if !here {
			continue // it belongs to an earlier delegation
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return k, ctx.Err()
		}
		before := state(n)
		if before.State == workflow.TaskOpen || before.State == workflow.TaskWorking {
			return k, errRests
		}
		if before.State != workflow.TaskDone && k.State == workflow.TaskOpen {
			k.State = workflow.TaskBlocked
			k.Summary = fmt.Sprintf("not begun, since task %d is %s", n, before.State)
			return k, w.recordTask(ctx, k)
		}
	}
	return k, nil
}
