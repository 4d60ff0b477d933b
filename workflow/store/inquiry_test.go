package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A line's files reach the outbox with it, and a line with files is a reply of its own.
func TestFilesTravelWithTheirLine(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	id := turn.Session().ID
	file := workflow.File{Name: "plan.md", Title: "Plan", Text: "# Plan\n"}
	require.NoError(t, turn.Record(ctx,
		store.Lines{
			{Agent: "orchestrator", Text: "one", Files: []workflow.File{file}},
			{Agent: "orchestrator", Text: "two"},
		},
	))
	var found *workflow.Posting
	for {
		p, err := outbox.New(s.DB).Next(ctx, id)
		require.NoError(t, err)
		if p == nil || len(p.Lines) > 0 {
			found = p
			break
		}
		storetest.MarkPosted(t, s, p.Key, "1.0")
	}
	require.Len(t, found.Lines, 1)
	require.Equal(t, []workflow.File{file}, found.Lines[0].Files)
}

// Events in OptionalEvents that the phase does not allow are skipped, since several workers move one session.
func TestMaybeMovesOnlyWhereItMay(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context(), store.Update{
		OptionalEvents: []workflow.Event{workflow.EventVerified, workflow.EventReport, workflow.EventClaim},
	}))
	require.Equal(t, workflow.PhaseReported, turn.Session().Phase)
	require.Error(t, turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventClaim}}))
}
