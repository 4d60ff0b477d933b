package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
)

func TestVitals(t *testing.T) {
	t.Parallel()
	s := open(t)
	v, err := s.Vitals(t.Context(), "r1")
	require.NoError(t, err)
	require.Equal(t, store.Vitals{}, v)
	turn := begun(t, s)
	before, err := s.Vitals(t.Context(), "r1")
	require.NoError(t, err)
	require.NoError(t, turn.Record(t.Context(), store.Lines{{Agent: "bobbin", Text: "Looking into it."}}))
	_, err = s.Pool.Exec(t.Context(), `insert into replicas (id, seen_at) values ('r1', now() - interval '1 hour')`)
	require.NoError(t, err)
	v, err = s.Vitals(t.Context(), "r1")
	require.NoError(t, err)
	require.True(t, v.Beats)
	require.InDelta(t, 60, v.Beat.Minutes(), 5)
	require.Equal(t, 1, v.Waiting)
	require.Zero(t, v.Working)
	require.Equal(t, before.Unposted+1, v.Unposted)
	_, err = s.Pool.Exec(t.Context(), `update river_job set state = 'running' where kind = 'turn'`)
	require.NoError(t, err)
	v, err = s.Vitals(t.Context(), "r1")
	require.NoError(t, err)
	require.Equal(t, 1, v.Working)
	require.Zero(t, v.Waiting)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Vitals(ended, "r1")
	require.ErrorIs(t, err, context.Canceled)
}

// The clock is learnt when the database is opened, and is never ahead of it.
func TestTheClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	s := open(t)
	ours := s.Clock().Now()
	var theirs time.Time
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&theirs))
	require.False(t, ours.After(theirs))
	require.WithinDuration(t, theirs, ours, time.Minute)
}
