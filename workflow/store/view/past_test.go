package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// PastOf returns medians of the pushed changes to one repository. What was refused, what goes on and what is
// about another repository does not count.
func TestThePastOfARepository(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	past, err := view.PastOf(t.Context(), s.DB, "shop")
	require.NoError(t, err)
	require.Equal(t, workflow.Past{}, past)
	for i, row := range []struct {
		repository, phase, push string
		usd                     float64
	}{
		{"shop", "done", "pushed", 1},
		{"shop", "done", "pushed", 2},
		{"shop", "done", "pushed", 60},
		{"shop", "done", "refused", 70},
		{"shop", "done", "", 80},
		{"shop", "working", "pushed", 90},
		{"site", "done", "pushed", 100},
	} {
		id := fmt.Sprintf("s%d", i)
		_, err := s.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, requester,
				repository, phase, spent_usd, tokens, worked_ms) values ($1, 'T1', 'C1', $1, 'U1', $2, $3, $4::float8,
				$4::float8 * 1000, $4::float8 * 60000)`,
			id, row.repository, row.phase, row.usd)
		require.NoError(t, err)
		if row.push == "" {
			continue
		}
		_, err = s.Pool.Exec(t.Context(), `insert into pushes (session_id, commit_hash, tree, base_commit, branch,
				state) values ($1, 'c', 't', 'b', 'x', $2)`, id, row.push)
		require.NoError(t, err)
	}
	past, err = view.PastOf(t.Context(), s.DB, "shop")
	require.NoError(t, err)
	require.Equal(t, workflow.Past{Pushed: 3, USD: 2, Tokens: 2000, Worked: 2 * time.Minute}, past)
}
