package view_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// TestReadOutcome reads of a session who approved, what the thread was told of the push, its pull requests
// and the sessions of the thread's other repositories.
func TestReadOutcome(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	id := turn.Session().ID
	empty, err := view.ReadOutcome(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.Empty(t, empty.Approvals)
	require.Empty(t, empty.Told)
	require.Empty(t, empty.Others)

	report := storetest.RecordReport(t, turn, 1, "the cause")
	require.NoError(t, turn.Record(t.Context(), storetest.Approval(report, "a1")...))
	shows := []workflow.Button{{ActionID: workflow.ButtonShowDiff, Label: "Show the diff", Value: "v1"}}
	require.NoError(t, turn.Record(t.Context(),
		store.Lines{{Agent: "orchestrator", Text: "Pushed.\nIt adds up.", Vouched: []int{0}, Buttons: shows}},
		store.Lines{{
			Agent: "orchestrator", Text: "see a.go:3",
			Code: &workflow.Code{Repository: "shop", Commit: "c0ffee", Places: []string{"a.go:3"}},
		}}))
	for _, sql := range []string{
		`update sessions set worked_ms = 61000, repository = 'shop', branch = 'bobbin/x' where id = $1`,
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state, number, url)
			values ('shop', 'bobbin/x', $1, 'h', 'main', 'A fix', '', 'open', 31, 'https://h/31'),
				('shop', 'release/x', $1, 'h', 'release', 'A fix', '', 'merged', 32, 'https://h/32')`,
		`insert into sessions (id, team, channel, thread_ts, part_of, repository)
			select 'site', team, channel, thread_ts || ' site', id, 'site' from sessions where id = $1`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql, id)
		require.NoError(t, err)
	}
	o, err := view.ReadOutcome(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.Equal(t, 61*time.Second, o.Worked)
	require.Equal(t, "see a.go:3", o.Newest)
	require.Equal(t, []string{"site"}, o.Others)
	require.Len(t, o.Approvals, 1)
	require.Equal(t, 1, o.Approvals[0].Revision)
	require.False(t, o.Approvals[0].Push)
	require.Len(t, o.Told, 1)
	require.Equal(t, []int{0}, o.Told[0].Vouched)
	require.Equal(t, "Pushed.\nIt adds up.", o.Told[0].Text)
	require.Equal(t, []view.Pull{
		{
			Repository: "shop", Branch: "bobbin/x", Number: 31, URL: "https://h/31", Title: "A fix",
			State: "open",
		},
		{
			Repository: "shop", Branch: "release/x", Number: 32, URL: "https://h/32", Title: "A fix",
			State: "merged", Aside: true,
		},
	}, o.Pulls)
	places, err := view.Places(t.Context(), s.DB, id)
	require.NoError(t, err)
	require.Len(t, places, 1)
	require.Equal(t, []string{"a.go:3"}, places[0].Places)

	other, err := view.ReadOutcome(t.Context(), s.DB, "site")
	require.NoError(t, err)
	require.Equal(t, []string{id}, other.Others, "the thread's own session, from a part of it")
	require.Empty(t, other.Approvals)
	_, err = view.ReadOutcome(t.Context(), s.DB, "nothing")
	require.Error(t, err)
}
