package queue

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// Work beside the turns in which five processes died is given up. After four it is run once more.
func TestWorkThatKillsIsGivenUp(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	q, err := New(db)
	require.NoError(t, err)
	exec := func(sql string, args ...any) {
		_, err := db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	for session, deaths := range map[string]int{"four": 4, "five": 5} {
		exec(`insert into sessions (id, team, channel, thread_ts, repository) values ($1, 'T', 'C', $1, 'shop')`, session)
		exec(`insert into lookbacks (session_id, key, repository, base, probe) values ($1, 'k', 'shop', 'c1', '{}')`, session)
		require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error { return q.InsertSide(t.Context(), tx, session, HistoryWork) }))
		for range deaths {
			exec(`update river_job set state = 'running', attempted_at = now(), attempted_by = array['me'], attempt = 1 where state = 'available' and args->>'session' = $1`, session)
			require.NoError(t, (&Replica{Queue: q, ID: "me", Log: slog.New(slog.DiscardHandler)}).Resume(t.Context()))
		}
	}
	ends := func(state string) func(context.Context, string) error {
		return func(ctx context.Context, session string) error {
			_, err := db.Pool.Exec(ctx, `update lookbacks set state = $2 where session_id = $1`, session, state)
			return err
		}
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &SideWorker{
		Queue: q, Log: slog.New(slog.DiscardHandler),
		Run: map[string]func(context.Context, string) error{HistoryWork: ends("done")}, GiveUp: map[string]func(context.Context, string) error{HistoryWork: ends("stopped")},
	})
	client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{Queues: map[string]river.QueueConfig{HistoryWork: {MaxWorkers: 1}}, Workers: workers, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ended, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	require.NoError(t, db.Retry(t.Context(), func() error { return client.Start(t.Context()) }))
	<-ended
	<-ended
	require.NoError(t, client.Stop(t.Context()))
	for session, want := range map[string]string{"four": "done", "five": "stopped"} {
		var state string
		require.NoError(t, db.Pool.QueryRow(t.Context(), `select state from lookbacks where session_id = $1`, session).Scan(&state))
		require.Equal(t, want, state, "after %s deaths", session)
	}
}
