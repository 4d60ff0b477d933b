package queue

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Deaths within five seconds count as one. Both ends of that time are looked at in one
// transaction, in which Postgres' clock stands still.
func TestDeathsWithinFiveSecondsAreOne(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		for before, want := range map[time.Duration]int{
			0:                                0,
			5 * time.Second:                  0,
			5*time.Second + time.Millisecond: crashUnit,
		} {
			id := fmt.Sprint(before)
			var crashes int
			_, err := tx.Exec(t.Context(),
				`insert into sessions (id, team, channel, thread_ts, crashed_at)
					values ($1, 'T', 'C', $1, now() - $2::interval)`,
				id, before)
			require.NoError(t, err)
			require.NoError(t, countCrash(t.Context(), tx, []string{id}))
			require.NoError(t,
				tx.QueryRow(t.Context(), `select crashes from sessions where id = $1`, id).Scan(&crashes))
			require.Equal(t, want, crashes, "a death %s after another", before)
		}
		return nil
	}))
}
