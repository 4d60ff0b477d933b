package planning_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/planning"
)

// A later plan has tasks with the same numbers. Only those that it repeats were done for it, too.
func TestTasksOfAnEarlierPlan(t *testing.T) {
	t.Parallel()
	report := func(revision int, tasks ...string) workflow.Report {
		var p planning.Plan
		for _, description := range tasks {
			p.Tasks = append(p.Tasks, planning.Task{Description: description, Acceptance: "it works", Check: "make"})
		}
		body, err := json.Marshal(p)
		require.NoError(t, err)
		return workflow.Report{Revision: revision, Kind: workflow.ReportPlan, Body: body}
	}
	plans := planning.PlansOf([]workflow.Report{
		report(1, "add a store", "use it"), {Revision: 2, Kind: workflow.ReportRequest}, report(3, "tell the users", "add a  store", "use it everywhere"),
	})
	require.Len(t, plans, 2)
	tasks := []workflow.Task{
		{ID: 1, Plan: 1, Revision: 1},
		{ID: 2, Plan: 2, Revision: 1},
		{ID: 3, Revision: 2},
		{ID: 4, Plan: 9, Revision: 1},
		{ID: 5, Plan: 1, Revision: 3},
		{ID: 6, Plan: 1, Revision: 7},
	}
	require.Equal(t, []workflow.Task{{ID: 1, Plan: 2, Revision: 1}, {ID: 5, Plan: 1, Revision: 3}}, planning.Delegated(plans, nil, 3, tasks))
	require.Equal(t, []workflow.Task{{ID: 1, Plan: 1, Revision: 1}, {ID: 2, Plan: 2, Revision: 1}}, planning.Delegated(plans, nil, 1, tasks))
	require.Empty(t, planning.Delegated(plans, nil, 2, tasks))

	own := []workflow.Task{{ID: 5, Plan: 1, Revision: 3}}
	require.Equal(t, own, planning.Delegated(plans, []int{1}, 3, tasks), "what was pushed is no part of later work")
	require.Equal(t, own, planning.Delegated(plans, []int{2}, 3, tasks), "nor what was done before that")
	require.Len(t, planning.Delegated(plans, []int{3}, 3, tasks), 2, "it was pushed with this plan")
}
