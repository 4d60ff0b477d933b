package delivery

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A push ends the tasks that failed before it, and changes no other task.
func TestAPushEndsWhatFailed(t *testing.T) {
	t.Parallel()
	task := func(number int, state workflow.TaskState, start string) workflow.Task {
		return workflow.Task{Number: number, State: state, StartTree: start}
	}
	require.Equal(t, []store.Part{
		progress.Task{Task: task(2, workflow.TaskDropped, "")},
		progress.Task{Task: task(3, workflow.TaskDropped, "")},
		progress.Task{Task: task(4, workflow.TaskDropped, "")},
	},
		endFailedTasks([]workflow.Task{
			task(1, workflow.TaskDone, "a"), task(2, workflow.TaskFailed, "b"),
			task(3, workflow.TaskDropped, "c"), task(4, workflow.TaskFailed, ""),
			task(5, workflow.TaskDropped, ""), task(6, workflow.TaskBlocked, "d"),
		}))
}

// A push that was cut off is repeated as it was, whatever was written since. What was changed after that is
// not pushed over words that nobody has read.
func TestOnlyAPushThatWasCutOffIsRepeatedOverUnreadWords(t *testing.T) {
	t.Parallel()
	st := storetest.Open(t)
	l := &ledger.Ledger{Turn: storetest.BeginTurn(t, st), Store: st, Log: storetest.Silent}
	require.NoError(t,
		l.Record(t.Context(), storetest.Approval(storetest.RecordReport(t, l.Turn, 1, "the cause"), "a")...))
	require.NoError(t, l.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventClaim}},
		consent.Push{
			Commit:     "abc",
			Tree:       "proven",
			BaseCommit: "c0ffee",
			Branch:     "bobbin/x",
			Approval:   "a",
			State:      workflow.PushIntended,
		}))
	_, err := st.Pool.Exec(t.Context(), `update inbox set handled_at = now(), for_agents = true`)
	require.NoError(t, err)
	hears := func(context.Context) error { return nil }
	d := &Delivery{
		Ledger:    l,
		Inquiries: &inquiry.Inquiries{Runtime: &runtime.Runtime{Ledger: l, Hear: hears}},
	}
	for tree, refused := range map[string]bool{"proven": false, "changed since": true} {
		err := d.refuseUnread(t.Context(), &workflow.Approval{ID: "a"}, tree)
		if refused {
			require.ErrorAs(t, err, new(*prompt.Refusal), tree)
			continue
		}
		require.NoError(t, err, tree)
	}
}
