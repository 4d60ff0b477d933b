package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// A push ends the tasks that failed before it, and changes no other task.
func TestAPushEndsWhatFailed(t *testing.T) {
	t.Parallel()
	task := func(number int, state workflow.TaskState, start string) workflow.Task {
		return workflow.Task{Number: number, State: state, StartTree: start}
	}
	require.Equal(t, []store.Part{progress.Task{Task: task(2, workflow.TaskDropped, "")}, progress.Task{Task: task(3, workflow.TaskDropped, "")}, progress.Task{Task: task(4, workflow.TaskDropped, "")}},
		endFailedTasks([]workflow.Task{
			task(1, workflow.TaskDone, "a"), task(2, workflow.TaskFailed, "b"), task(3, workflow.TaskDropped, "c"), task(4, workflow.TaskFailed, ""),
			task(5, workflow.TaskDropped, ""), task(6, workflow.TaskBlocked, "d"),
		}))
}
