package queue

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"
)

// A pause ends the work beside the turns; it goes on after the pause, and not before a stop that came
// meanwhile is judged. No pull request is opened during the pause.
func TestWorkBesideTheTurnsRests(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	q, err := New(db)
	require.NoError(t, err)
	exec := func(sql string) {
		_, err := db.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(
		`insert into sessions (id, team, channel, thread_ts, repository)
			values ('s1', 'T', 'C', '1', 'shop')`)
	exec(
		`insert into lookbacks (session_id, key, repository, base, probe)
			values ('s1', 'k', 'shop', 'c1', '{}')`)
	exec(
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, state)
			values ('shop', 'b', 's1', 'c1', 'main', '', '', 'intended')`)
	var runs, looks atomic.Int32
	run := func(ctx context.Context, _ string) error {
		if runs.Add(1) == 1 {
			exec(`insert into pauses (scope, name, paused_by) values ('repository', 'shop', 'ann')`)
			require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool,
				func(tx pgx.Tx) error { return q.InsertPullRequest(t.Context(), tx, "s1") }))
			<-ctx.Done()
			return ctx.Err()
		}
		exec(`update lookbacks set state = 'done'`)
		return nil
	}
	look := func(context.Context, string) (time.Duration, error) {
		looks.Add(1)
		exec(`update pull_requests set state = 'open'`)
		return 0, nil
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &SideWorker{
		Queue: q,
		Run:   map[string]func(context.Context, string) error{HistoryWork: run},
	})
	river.AddWorker(workers, &PullRequestWorker{Queue: q, Look: look})
	client, err := river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
		Queues:  map[string]river.QueueConfig{HistoryWork: {MaxWorkers: 1}, HostQueue: {MaxWorkers: 1}},
		Workers: workers,
		Logger:  slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	snoozed, cancel := client.Subscribe(river.EventKindJobSnoozed)
	defer cancel()
	ended, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool,
		func(tx pgx.Tx) error { return q.InsertSide(t.Context(), tx, "s1", HistoryWork) }))
	require.NoError(t, db.Retry(t.Context(), func() error { return client.Start(t.Context()) }))

	seen := map[string]int{}
	for seen["side"] < 2 || seen["pull_request"] < 1 {
		seen[(<-snoozed).Job.Kind]++
	}
	require.EqualValues(t, 1, runs.Load())
	require.Zero(t, looks.Load())

	exec(`update sessions set stop_asked = true`)
	exec(
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, value)
			values ('s1', 'e1', 'message', '2', 'U1', '')`)
	exec(`delete from pauses`)
	require.Equal(t, "pull_request", (<-ended).Job.Kind)
	require.EqualValues(t, 1, looks.Load())
	for (<-snoozed).Job.Kind != "side" {
	}
	require.EqualValues(t, 1, runs.Load())

	exec(`update inbox set handled_at = now()`)
	require.Equal(t, "side", (<-ended).Job.Kind)
	require.EqualValues(t, 2, runs.Load())
	require.NoError(t, client.Stop(t.Context()))
}
