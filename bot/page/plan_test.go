package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// TestPlansAreTicked checks that the newest plan is shown, and that only verified tasks are ticked.
func TestPlansAreTicked(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	const body = `{"title": "Cents", "tasks": [{"title": "Hand out every cent", "description": ` +
		`"All of it.", "category": "deep", "acceptance": "they add up", "check": "go test ./money"}, ` +
		`{"description": "Tell it.", "category": "quick", "skill": "tdd", "acceptance": "it is told", ` +
		`"check": "grep token-1", "after": [1]}]}`
	reports := []workflow.Report{
		{Revision: 1, Kind: workflow.ReportRequest},
		{Revision: 2, Kind: workflow.ReportPlan, Body: []byte(`{"title": "Older", "tasks": [{}]}`)},
		{Revision: 3, Kind: workflow.ReportPlan, Body: []byte(body)},
	}
	p := planOf(reports, nil, nil, same)
	require.Equal(t, []any{"Cents", 3, 0}, []any{p.Title, p.Revision, p.Verified})
	require.Equal(t, planned{
		Number:     1,
		Label:      "[deep]",
		Heading:    "Hand out every cent",
		Whole:      "All of it.",
		Acceptance: "they add up",
		Check:      "go test ./money",
	}, p.Tasks[0])

	p = planOf(reports, nil, []workflow.Task{
		{Number: 1, Plan: 1, Revision: 3, State: workflow.TaskFailed},
		{Number: 2, Plan: 1, Revision: 3, State: workflow.TaskDone},
		{Number: 3, Plan: 2, Revision: 3, State: workflow.TaskWorking},
		{Number: 4, Revision: 3, State: workflow.TaskDone},
		{Number: 5, Plan: 2, Revision: 2, State: workflow.TaskDone},
	}, func(s string) string { return strings.ReplaceAll(s, "token-1", "***") })
	require.Equal(t, 1, p.Verified)
	require.True(t, p.Tasks[0].Ticked)
	require.False(t, p.Tasks[1].Ticked,
		"at work is not verified, and what an older plan numbered alike is another task")
	require.Equal(t, []any{workflow.TaskWorking, "[quick + tdd skill]", "grep ***", []int{1}},
		[]any{p.Tasks[1].State, p.Tasks[1].Label, p.Tasks[1].Check, p.Tasks[1].After})

	require.Nil(t, planOf(reports[:1], nil, nil, same))
	require.Nil(t, planOf([]workflow.Report{{Kind: workflow.ReportPlan, Body: []byte("{")}}, nil, nil, same))
}
