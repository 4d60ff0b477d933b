package inbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/incoming"
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

// The turn takes an edit as a correction and what is entered as a limit as a limit, so neither may end the run.
func TestOnlyWhatCanBeJudgedAsAStopAsksForOne(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Mention("Ev1", "look")
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	for i, c := range []struct {
		kind   incoming.Kind
		action string
		stops  int
	}{
		{incoming.Edit, "", 0},
		{incoming.Sent, "", 0},
		{incoming.Form, button.FixLimited, 0},
		{incoming.Form, button.Repository, 0},
		{incoming.Form, button.Correct, 1},
		{incoming.Reply, "", 1},
	} {
		_, err := s.Pool.Exec(t.Context(), `update sessions set stop_asked = false`)
		require.NoError(t, err)
		said := in
		said.EventID, said.TS, said.Kind, said.ActionID, said.Text = fmt.Sprint("Said", i), fmt.Sprint(in.TS, i), c.kind, c.action, "stop"
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), said))
		require.Equal(t, c.stops, storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`), "%s %s", c.kind, c.action)
	}
}
