package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// River ends a job after a minute and counts it as failed, unless its worker sets another timeout.
func TestNoJobIsEndedByAClock(t *testing.T) {
	t.Parallel()
	require.Equal(t, time.Duration(-1), (&queue.TurnWorker{}).Timeout(nil))
	require.Equal(t, time.Duration(-1), (&queue.PostWorker{}).Timeout(nil))
}

// A message that comes while a job still runs queues no job of its own, since
// a session has at most one. The job that is about to end has to see it.
func TestAMessageAtTheVeryEndIsNotForgotten(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	late := lateMessage(t, s)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{Queue: s.Queue, Log: storetest.Silent, Run: late})
	})
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state = 'completed'`) == 1
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from inbox where handled_at is not null`))
}

// The control: a worker that lets River complete its job forgets the message.
func TestAMessageAtTheVeryEndIsForgottenByTheQueue(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	late := lateMessage(t, s)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[queue.TurnJob]) error {
			return late(ctx, j.Args.Session)
		}))
	})
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s,
			`select count(*) from river_job where kind = 'turn' and state = 'completed'`) == 1
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox where handled_at is null`))
	require.Zero(t, storetest.CountRows(t, s,
		`select count(*) from river_job where kind = 'turn' and state <> 'completed'`))
}

// A transaction that says a line locks the session and then its post job, and so does one that completes
// that job. In the other order they would deadlock, and Postgres would cancel one of them after a second.
func TestSpeakersAndPostersDoNotLockEachOtherOut(t *testing.T) {
	t.Parallel()
	var log logged
	s := storetest.OpenLogged(t, slog.New(slog.NewTextHandler(&log, nil)))
	turn := storetest.BeginTurn(t, s)
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.PostWorker{
			Queue: s.Queue,
			Drain: func(ctx context.Context, session string) error {
				for {
					p, err := outbox.New(s.DB).Next(ctx, session)
					if p == nil || err != nil {
						return err
					}
					if _, err := outbox.New(s.DB).Posted(ctx, p.Key, "1.1"); err != nil {
						return err
					}
				}
			},
		})
	})
	for n := range 150 {
		buttons := []workflow.Button{{ActionID: workflow.ButtonFix, Label: "Fix it", Value: fmt.Sprint(n)}}
		require.NoError(t, turn.Record(t.Context(), store.Lines{{
			Agent: "deep", Text: fmt.Sprint("line ", n), Buttons: buttons,
		}}))
		require.NoError(t,
			turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
		require.NoError(t,
			turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventRequest}}))
	}
	require.NotContains(t, log.String(), "deadlock")
}

// The same holds for a message that comes in and a turn that begins.
func TestWritersAndTurnsDoNotLockEachOtherOut(t *testing.T) {
	t.Parallel()
	var log logged
	s := storetest.OpenLogged(t, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Mention("Ev0", "total is off")))
	workQueue(t, s, func(workers *river.Workers) {
		river.AddWorker(workers, &queue.TurnWorker{
			Queue: s.Queue,
			Log:   storetest.Silent,
			Run: func(ctx context.Context, session string) error {
				turn, err := s.Begin(ctx, session, store.NoSettling)
				if err != nil {
					return err
				}
				in, err := turn.Inbox().Unhandled(ctx)
				for _, m := range in {
					err = errors.Join(err, turn.Record(ctx, inbox.Handled{ID: m.ID}))
				}
				return err
			},
		})
	})
	for n := range 300 {
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(),
			storetest.Reply(fmt.Sprint("Ev", n+1), fmt.Sprintf("2.%d", n), "and this")))
	}
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s, `select count(*) from inbox where handled_at is null`) == 0
	}, time.Minute, 10*time.Millisecond)
	require.NotContains(t, log.String(), "deadlock")
}

// lateMessage returns the run of a turn at the very end of which another message comes.
func lateMessage(t *testing.T, s *store.Store) func(context.Context, string) error {
	t.Helper()
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Mention("Ev1", "total is off")))
	return func(ctx context.Context, session string) error {
		turn, err := s.Begin(ctx, session, store.NoSettling)
		if err != nil {
			return err
		}
		in, err := turn.Inbox().Unhandled(ctx)
		if err != nil {
			return err
		}
		for _, m := range in {
			if err := turn.Record(ctx, inbox.Handled{ID: m.ID}); err != nil {
				return err
			}
		}
		return storetest.Inbox(s).Receive(ctx, storetest.Reply("Ev2", "2.0", "and the tax"))
	}
}

// workQueue works the store's queue until the test ends.
func workQueue(t *testing.T, s *store.Store, register func(*river.Workers)) {
	t.Helper()
	workers := river.NewWorkers()
	register(workers)
	client, err := river.NewClient(riverpgxv5.New(s.Pool), &river.Config{
		Workers:           workers,
		Logger:            storetest.Silent,
		FetchPollInterval: 20 * time.Millisecond,
		FetchCooldown:     time.Millisecond,
		Queues: map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: 1},
			queue.PostQueue:    {MaxWorkers: 1},
		},
	})
	require.NoError(t, err)
	startClient(t, s, client)
	t.Cleanup(func() { client.StopAndCancel(context.Background()) })
}

// startClient starts the client, again if the database was too slow for it.
func startClient(t *testing.T, s *store.Store, client *river.Client[pgx.Tx]) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	require.NoError(t, s.Retry(ctx, func() error { return client.Start(ctx) }))
}
