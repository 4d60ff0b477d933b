package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// TestEstimate checks that an estimate is the median of finished sessions of the same repository and
// kind, counted from their approval on.
func TestEstimate(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	estimate := func(repository string, kind workflow.Kind) string {
		t.Helper()
		e, err := s.Estimate(t.Context(), repository, kind)
		require.NoError(t, err)
		return e.String()
	}
	n := 0
	finish := func(
		repository string, kind workflow.Kind, phase workflow.Phase, usd float64, minutes int,
	) (id string) {
		t.Helper()
		n++
		id = fmt.Sprint("s", n)
		_, err := s.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, repository, kind,
				phase, spent_usd, tokens, worked_ms) values ($1, 'T1', 'C1', $1, $2, $3, $4, $5, 70000, $6)`,
			id, repository, kind, phase, usd, minutes*60_000)
		require.NoError(t, err)
		return id
	}
	require.Empty(t, estimate("shop", workflow.KindBug))
	finish("shop", workflow.KindBug, workflow.PhaseDone, 0.2, 4)
	last := finish("shop", workflow.KindBug, workflow.PhaseDone, 9, 90)
	finish("site", workflow.KindBug, workflow.PhaseDone, 5, 50)
	finish("shop", workflow.KindFeature, workflow.PhaseDone, 5, 50)
	finish("shop", workflow.KindBug, workflow.PhaseStopped, 5, 50)
	require.Empty(t, estimate("shop", workflow.KindBug), "two are too few")
	finish("shop", workflow.KindBug, workflow.PhaseDone, 0.4, 6)
	require.Equal(t, "about $0.40, 6 minutes", estimate("shop", workflow.KindBug))
	require.Empty(t, estimate("shop", workflow.KindFeature))

	// What came before the approval does not count: it is spent already.
	_, err := s.Pool.Exec(t.Context(), `insert into cards (session_id, run, key, stop, began_ms, began_usd,
			began_task, began_tokens, ended, ended_ms, ended_usd, ended_tokens)
		values ($1, 1, 'k', 'x', 85 * 60000, 8.7, 0, 0, 'done', 90 * 60000, 9, 50)`, last)
	require.NoError(t, err)
	require.Equal(t, "about $0.30, 5 minutes", estimate("shop", workflow.KindBug))
	_, err = s.Pool.Exec(t.Context(),
		`update sessions set spent_usd = 0; update cards set began_usd = 0, ended_usd = 0`)
	require.NoError(t, err)
	require.Equal(t, "about 70,000 tokens, 5 minutes", estimate("shop", workflow.KindBug))
}
