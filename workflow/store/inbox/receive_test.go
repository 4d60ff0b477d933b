package inbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// receiveBeside receives a message while sessions at work hold all connections of their pool.
func receiveBeside(t *testing.T, guarded bool, within time.Duration) error {
	t.Helper()
	s := storetest.Open(t)
	if !guarded {
		own := s.Arrivals
		s.Arrivals = s.Pool
		t.Cleanup(func() { s.Arrivals = own })
	}
	for range s.Pool.Config().MaxConns {
		held, err := s.Pool.Acquire(t.Context())
		require.NoError(t, err)
		t.Cleanup(held.Release)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return storetest.Inbox(s).Receive(ctx, storetest.Mention("Ev1", "it fails"))
}

func TestAMessageWaitsForNoSession(t *testing.T) {
	t.Parallel()
	require.NoError(t, receiveBeside(t, true, time.Minute))
}

// The control: with the sessions' own pool, the message waits for them.
func TestWithTheSessionsConnectionsItWaits(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, receiveBeside(t, false, 50*time.Millisecond), context.DeadlineExceeded)
}
