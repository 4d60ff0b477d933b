package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// patience is a time limit for a busy machine; no test waits until it passes.
const patience = 4 * time.Minute

// clientOf returns River's client of a queue.
func clientOf(q *Queue) *river.Client[pgx.Tx] { return q.client.(*river.Client[pgx.Tx]) }

// TestTheQueueWaitsForASlowDatabase checks that the queue waits for a database that is slow for longer than
// the client waits by itself: the program does not end, and works when the database is back.
func TestTheQueueWaitsForASlowDatabase(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	url := postgrestest.Database(t, storetest.Migrate)
	worked, again := make(chan string, 1), make(chan struct{}, 10)
	open := func(log *slog.Logger) (*store.Store, *Queue) {
		s, err := store.Open(ctx, url, log)
		require.NoError(t, err)
		t.Cleanup(s.Close)
		q, err := NewQueue(s, Work{React: func(_ context.Context, session string) error { worked <- session; return nil }}, store.NewToken(), 1, log)
		require.NoError(t, err)
		return s, q
	}
	s, q := open(slog.New(overheard{slog.DiscardHandler, "the database is too slow to begin, or away; trying again", again}))
	busy, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = busy.Close(context.WithoutCancel(ctx)) })
	_, err = busy.Exec(ctx, `begin; lock table river_queue in access exclusive mode`)
	require.NoError(t, err)

	_, other := open(slog.New(slog.DiscardHandler))
	unguarded := make(chan error, 1)
	go func() { unguarded <- other.client.Start(ctx) }()
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- q.Run(run) }()

	require.ErrorContains(t, <-unguarded, "timed out", "without waiting, the queue is given up")
	<-again
	require.NoError(t, busy.Close(ctx))
	require.NoError(t, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		_, err := clientOf(q).InsertTx(ctx, tx, queue.ReactJob{Session: "somebody's"}, nil)
		return err
	}))
	require.Equal(t, "somebody's", <-worked)
	stop()
	require.NoError(t, <-ended)
}

// TestWhatFailsIsLogged checks that each attempt that failed leaves a line in the log, with its session, and
// without secrets. Attempts that only ask to wait leave none.
func TestWhatFailsIsLogged(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	var lines bytes.Buffer // read when the queue has ended
	log := slog.New(slog.NewJSONHandler(&lines, nil))
	s, err := store.Open(ctx, postgrestest.Database(t, storetest.Migrate), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	outcomes := []error{river.JobSnooze(0), errors.New("cannot go on with hunter2-hunter2"), nil}
	worked := make(chan struct{})
	react := func(context.Context, string) error {
		next := outcomes[0]
		if outcomes = outcomes[1:]; len(outcomes) == 0 {
			close(worked)
		}
		return next
	}
	q, err := NewQueue(s, Work{React: react, Secrets: redact.New("hunter2-hunter2")}, store.NewToken(), 1, log)
	require.NoError(t, err)
	require.NoError(t, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		_, err := clientOf(q).InsertTx(ctx, tx, queue.ReactJob{Session: "somebody's"}, nil)
		return err
	}))
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- q.Run(run) }()
	<-worked
	stop()
	require.NoError(t, <-ended)
	var line struct {
		Level, Msg, Kind, Session, Err string
		Attempt                        int
	}
	require.NoError(t, json.Unmarshal(lines.Bytes(), &line), "one line: %s", &lines)
	require.Equal(t, "WARN a job failed react somebody's 1", fmt.Sprint(line.Level, " ", line.Msg, " ", line.Kind, " ", line.Session, " ", line.Attempt))
	require.Contains(t, line.Err, "cannot go on with")
	require.NotContains(t, lines.String(), "hunter2")
}

// TestAPanicIsAFailure checks that a panic in a job is counted, logged and stored like an error, without secrets.
func TestAPanicIsAFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	var lines bytes.Buffer // read when the queue has ended
	log := slog.New(slog.NewJSONHandler(&lines, nil))
	s, err := store.Open(ctx, postgrestest.Database(t, storetest.Migrate), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	counts := metrics.New()
	react := func(context.Context, string) error { panic("cannot go on with hunter2-hunter2") }
	q, err := NewQueue(s, Work{React: react, Secrets: redact.New("hunter2-hunter2"), Metrics: counts}, store.NewToken(), 1, log)
	require.NoError(t, err)
	failed, cancelEvents := clientOf(q).Subscribe(river.EventKindJobFailed)
	t.Cleanup(cancelEvents)
	require.NoError(t, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		_, err := clientOf(q).InsertTx(ctx, tx, queue.ReactJob{Session: "somebody's"}, nil)
		return err
	}))
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- q.Run(run) }()
	stored := (<-failed).Job.Errors
	stop()
	require.NoError(t, <-ended)
	require.Len(t, stored, 1)
	require.Contains(t, stored[0].Error, "panic: cannot go on with")
	require.Contains(t, stored[0].Error, "TestAPanicIsAFailure", "the stack says where")
	require.NotContains(t, stored[0].Error, "hunter2")
	require.Contains(t, lines.String(), "panic: cannot go on with")
	require.NotContains(t, lines.String(), "hunter2")
	scraped := httptest.NewRecorder()
	counts.Handler().ServeHTTP(scraped, httptest.NewRequest("GET", "/metrics", nil))
	require.Contains(t, scraped.Body.String(), `bobbin_job_duration_seconds_count{kind="react",outcome="error"} 1`)
}

// overheard is a log handler that signals when one message is logged.
type overheard struct {
	slog.Handler
	message string
	told    chan<- struct{}
}

func (h overheard) Enabled(context.Context, slog.Level) bool { return true }

func (h overheard) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message {
		h.told <- struct{}{}
	}
	return nil
}

func (h overheard) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h overheard) WithGroup(string) slog.Handler { return h }
