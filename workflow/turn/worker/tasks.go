package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/turn/budget"
)

// sideBySide is how many tasks of one session run at once.
const sideBySide = 3

// RunTasks runs the tasks of one delegation: each as soon as those before it are done, and
// side by side what does not depend on each other. A task whose forerunner did not get
// done is not begun.
func (w *Workers) RunTasks(ctx context.Context, tasks []workflow.Task, a *permit.Approval) ([]workflow.Task, error) {
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
				k, err = w.runTask(ctx, k, a)
				<-slots
			}
			mu.Lock()
			defer mu.Unlock()
			tasks[i] = k
			if err != nil {
				failed = append(failed, err)
				if !errors.As(err, new(*budget.LimitError)) { // the others come to it before their next step, and what they asked for until then is not lost
					cancel()
				}
			}
		})
	}
	running.Wait()
	return tasks, firstError(failed)
}

// firstError is the error that the others followed from.
func firstError(list []error) error {
	for _, err := range list {
		if !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(list...)
}

// awaitEarlier waits until the tasks before k have ended. One that did not get done blocks k.
func (w *Workers) awaitEarlier(ctx context.Context, k workflow.Task, ended map[int]chan struct{}, state func(int) workflow.Task) (workflow.Task, error) {
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
			return k, w.recordTask(ctx, k)
		}
	}
	return k, nil
}
