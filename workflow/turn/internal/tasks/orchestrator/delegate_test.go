package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// A task gets a fork exactly if another task may run in parallel to it.
func TestApart(t *testing.T) {
	t.Parallel()
	list := func(after ...[]int) (out []decision.Assignment) {
		for _, a := range after {
			out = append(out, decision.Assignment{After: a})
		}
		return out
	}
	for name, c := range map[string]struct {
		tasks []decision.Assignment
		want  []bool
	}{
		"one":           {list(nil), []bool{false}},
		"a chain":       {list(nil, []int{1}, []int{2}), []bool{false, false, false}},
		"two":           {list(nil, nil), []bool{true, true}},
		"a diamond":     {list(nil, []int{1}, []int{1}, []int{2, 3}), []bool{false, true, true, false}},
		"one stands by": {list(nil, []int{1}, nil), []bool{true, true, true}},
	} {
		var got []bool
		for i := range c.tasks {
			got = append(got, apart(c.tasks, i))
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestNewTasksTakeUpWhatFailed(t *testing.T) {
	t.Parallel()
	all := []workflow.Task{
		{Number: 1, Revision: 1, State: workflow.TaskDone, Failures: 1},
		{Number: 2, Revision: 1, State: workflow.TaskFailed, Failures: 2},
		{Number: 3, Revision: 1, State: workflow.TaskDropped, Failures: 3},
	}
	dropped, takenUp, failures := dropFailedTasks(all, 1)
	require.Equal(t, 2, failures)
	require.Equal(t, all[1:2], takenUp)
	require.Len(t, dropped, 1)
	require.Equal(t, workflow.TaskDropped, dropped[0].(progress.Task).State)

	dropped, takenUp, failures = dropFailedTasks(all, 2)
	require.Len(t, dropped, 1)
	require.Empty(t, takenUp, "it tried what an earlier revision says")
	require.Zero(t, failures)
}

// Only advice on what failed of the tasks that the new ones take up is applied to them.
func TestAdviceIsAppliedToWhatItWasGivenFor(t *testing.T) {
	t.Parallel()
	advice := func(key string, applied bool) workflow.Inquiry {
		return workflow.Inquiry{Key: key, Applied: applied, Answer: []byte(`{"bottom_line": "` + key + `"}`)}
	}
	all := []workflow.Inquiry{
		advice("escalation:1", false), advice("escalation:12", false), advice("message:3", false),
		advice("escalation:4", true),
		{Key: "escalation:5"},
	}
	for id, want := range map[int64]string{1: "escalation:1", 2: "", 3: "", 4: "", 5: ""} {
		_, got, ok := openAdvice(all, []workflow.Task{{ID: id}})
		require.Equal(t, want != "", ok, id)
		require.Equal(t, want, got.BottomLine, id)
	}
	_, _, ok := openAdvice(all, nil)
	require.False(t, ok)
}

func TestAPlansTasksAreNamedByNumber(t *testing.T) {
	t.Parallel()
	plan := workflow.Plan{Tasks: make([]workflow.PlannedTask, 2)}
	one := decision.Assignment{Description: "fix", Category: "deep"}
	require.Contains(t, badAssignments([]decision.Assignment{one}, plan), "1 to 2")
	one.Plan = 3
	require.Contains(t, badAssignments([]decision.Assignment{one}, plan), "1 to 2")
	one.Plan = 2
	require.Empty(t, badAssignments([]decision.Assignment{one}, plan))
	require.Contains(t, badAssignments([]decision.Assignment{one}, workflow.Plan{}), "no plan was approved")
}

func TestWhatFailedIsPutBackToItsStart(t *testing.T) {
	t.Parallel()
	task := func(state workflow.TaskState, start string, apart bool) workflow.Task {
		return workflow.Task{State: state, StartTree: start, Apart: apart}
	}
	for _, c := range []struct {
		tasks []workflow.Task
		start string
		below bool
		why   string
	}{
		{
			[]workflow.Task{task(workflow.TaskDropped, "a", false), task(workflow.TaskFailed, "b", false)},
			"a",
			false,
			"",
		},
		{
			[]workflow.Task{task(workflow.TaskDone, "a", false), task(workflow.TaskFailed, "b", false)},
			"b",
			false,
			"what was verified stays",
		},
		{
			[]workflow.Task{
				task(workflow.TaskDropped, "a", false), task(workflow.TaskDone, "b", false),
				task(workflow.TaskFailed, "c", false),
			},
			"c",
			true,
			"the third task, too, began with what the first one left",
		},
		{
			[]workflow.Task{task(workflow.TaskFailed, "a", true)},
			"",
			false,
			"a tree of its own was never merged",
		},
		{
			[]workflow.Task{task(workflow.TaskDropped, "a", false), task(workflow.TaskFailed, "b", true)},
			"a",
			false,
			"",
		},
		{
			[]workflow.Task{task(workflow.TaskDone, "a", true), task(workflow.TaskFailed, "a", true)},
			"",
			false,
			"",
		},
		{
			[]workflow.Task{
				task(workflow.TaskDropped, "a", false), task(workflow.TaskDone, "b", true),
				task(workflow.TaskFailed, "b", true),
			},
			"",
			true,
			"the verified task began with what the first one left",
		},
	} {
		start, below := startOfFailure(c.tasks)
		require.Equal(t, c.start, start, c.why)
		require.Equal(t, c.below, below, c.why)
	}
}

// A test run that did not start is no failure of the task that it should have proven.
func TestWhatIsNextWhereNothingCanBeProven(t *testing.T) {
	t.Parallel()
	const why = "Nothing can be proven here: `eslint .` did not start on main (eslint is not installed)."
	blocked := workflow.Task{Number: 1, State: workflow.TaskBlocked, StartTree: "a"}
	begun := workflow.Task{Number: 2, State: workflow.TaskBlocked, StartTree: "a", Apart: true}
	held := workflow.Task{Number: 3, State: workflow.TaskDone, StartTree: "a", Apart: true}
	for _, tasks := range [][]workflow.Task{{blocked}, {blocked, held}} {
		require.NotContains(t, nextStep(tasks, "", workflow.CINone), "did not fail")
		said := nextStep(tasks, why, workflow.CINone)
		require.Contains(t, said, why+" A task that is blocked by that alone did not fail")
		require.Contains(t, said, "push it unproven")
		require.NotContains(t, said, "with what you learned")
		require.NotContains(t, said, "a tree of its own")
	}
	require.Contains(t,
		nextStep([]workflow.Task{
			blocked, begun, {Number: 4, State: workflow.TaskBlocked, Apart: true},
		}, why, workflow.CINone),
		"same work again would prove no more. Task 2 worked in a tree of its own, "+
			"and its change is not in the files: to have it, delegate it alone. Your")
	require.Contains(t, nextStep([]workflow.Task{blocked}, why, workflow.CIGreen),
		"or to have CI prove it; or blocked")
	require.Contains(t, nextStep([]workflow.Task{held}, why, workflow.CINone), "If all is done, call finish.")
	failed := workflow.Task{Number: 5, State: workflow.TaskFailed}
	for _, tasks := range [][]workflow.Task{{held, failed}, {blocked, failed}} {
		said := nextStep(tasks, "", workflow.CINone)
		require.Contains(t, said, "unless the files change, it is refused for the same reason")
		require.NotContains(t, said, "call finish")
	}
	said := nextStep([]workflow.Task{held, blocked}, "", workflow.CINone)
	require.Contains(t, said, "If what was approved is in the files, call finish")
	require.NotContains(t, said, "refused for the same reason")
}

func TestBadAssignments(t *testing.T) {
	t.Parallel()
	one := decision.Assignment{Description: "fix", Category: "deep"}
	require.Empty(t, badAssignments([]decision.Assignment{one}, workflow.Plan{}))
	require.Empty(t,
		badAssignments([]decision.Assignment{one, {Description: "then", Category: "quick", After: []int{1}}},
			workflow.Plan{}))
	for name, list := range map[string][]decision.Assignment{
		"none":         nil,
		"too many":     make([]decision.Assignment, 11),
		"no words":     {{Category: "deep", Description: " \n"}},
		"after itself": {{Description: "fix", After: []int{1}}},
		"after none":   {one, {Description: "fix", After: []int{0}}},
	} {
		require.NotEmpty(t, badAssignments(list, workflow.Plan{}), name)
	}
}
