package queue

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// What comes during a look causes another look soon. Otherwise the next look comes when it is due.
func TestNothingIsMissedDuringALook(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	q, err := New(db)
	require.NoError(t, err)
	exec := func(sql string) {
		t.Helper()
		_, err := db.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(`insert into sessions (id, team, channel, thread_ts) values ('s1', 'T', 'C', '1')`)
	exec(
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state)
			values ('shop', 'b', 's1', 'c1', 'main', '', '', 'open')`)
	for comes, soon := range map[string]bool{
		`update pull_requests set woken = true`: true,
		`select 1`:                              false,
	} {
		exec(`delete from river_job`)
		exec(`update pull_requests set woken = true`) // what caused this look
		require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool,
			func(tx pgx.Tx) error { return q.InsertPullRequest(t.Context(), tx, "s1") }))
		workers := river.NewWorkers()
		river.AddWorker(workers, &PullRequestWorker{
			Queue: q,
			Look: func(context.Context, string) (time.Duration, error) {
				exec(comes)
				return 6 * time.Hour, nil
			},
		})
		client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
			Queues:  map[string]river.QueueConfig{HostQueue: {MaxWorkers: 1}},
			Workers: workers,
			Logger:  slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		ended, cancel := client.Subscribe(river.EventKindJobCompleted)
		// again if the database was too slow for it
		require.NoError(t, db.Retry(t.Context(), func() error { return client.Start(t.Context()) }))
		<-ended
		cancel()
		require.NoError(t, client.Stop(t.Context()))
		var live int
		var due time.Duration
		require.NoError(t, db.Pool.QueryRow(
			t.Context(),
			`select count(*), min(scheduled_at) - now() from river_job
				where state in ('available', 'scheduled')`,
		).Scan(&live, &due))
		require.Equal(t, 1, live)
		require.Equal(t, soon, due <= 5*time.Second, comes)
		require.Equal(t, !soon, due > 5*time.Hour, comes)
	}
}
