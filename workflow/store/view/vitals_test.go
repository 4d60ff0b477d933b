package view_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

func TestVitals(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	v, err := view.ReadVitals(t.Context(), s.DB, "r1")
	require.NoError(t, err)
	require.Equal(t, view.Vitals{}, v)
	turn := storetest.BeginTurn(t, s)
	before, err := view.ReadVitals(t.Context(), s.DB, "r1")
	require.NoError(t, err)
	require.NoError(t, turn.Record(t.Context(), store.Lines{{Agent: "bobbin", Text: "Looking into it."}}))
	_, err = s.Pool.Exec(t.Context(), `insert into replicas (id, seen_at) values ('r1', now() - interval '1 hour')`)
	require.NoError(t, err)
	v, err = view.ReadVitals(t.Context(), s.DB, "r1")
	require.NoError(t, err)
	require.True(t, v.Beats)
	require.InDelta(t, 60, v.Beat.Minutes(), 5)
	require.Equal(t, 1, v.Waiting)
	require.Zero(t, v.Working)
	require.Equal(t, before.Unposted+1, v.Unposted)
	_, err = s.Pool.Exec(t.Context(), `update river_job set state = 'running' where kind = 'turn'`)
	require.NoError(t, err)
	v, err = view.ReadVitals(t.Context(), s.DB, "r1")
	require.NoError(t, err)
	require.Equal(t, 1, v.Working)
	require.Zero(t, v.Waiting)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = view.ReadVitals(ended, s.DB, "r1")
	require.ErrorIs(t, err, context.Canceled)
}
