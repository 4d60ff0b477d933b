package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
	"github.com/riverqueue/rivercontrib/otelriver"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// A Queue runs a replica's share of the jobs that the store inserts.
type Queue struct {
	client  jobRunner
	replica *queue.Replica
}

// A jobRunner is the part of River's client that works jobs. The client itself is a generic type: as a field
// of Queue it would be compiled again in each package that uses a Server.
type jobRunner interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

// Work holds the functions that the jobs call.
type Work struct {
	Turn   func(ctx context.Context, session string) error
	GiveUp func(ctx context.Context, session string, cause error) error
	Post   func(ctx context.Context, session string) error
	React  func(ctx context.Context, session string) error
	// Look checks on the pull request of a session's push, and returns when to check again.
	Look func(ctx context.Context, session string) (again time.Duration, err error)

	// by kind of side work; see queue.SideWorker
	Side, GiveUpSide map[string]func(ctx context.Context, session string) error

	// most sessions whose messages are posted at once; default 1000
	Posters int
	// masks secrets in the errors that the queue stores with failed jobs
	Secrets *redact.Finder
	Metrics *metrics.Metrics
	Traces  *traces.Traces
}

// NewQueue returns a replica's queue, with at most atOnce sessions at work at once. It registers every kind
// of job. Each replica has to, because the leading replica discards jobs of a kind that it does not know.
func NewQueue(s *store.Store, w Work, id string, atOnce int, log *slog.Logger) (*Queue, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &queue.TurnWorker{Queue: s.Queue, Run: w.Turn, GiveUp: w.GiveUp, Log: log})
	river.AddWorker(workers, &queue.PostWorker{Queue: s.Queue, Drain: w.Post})
	river.AddWorker(workers, &queue.ReactWorker{Queue: s.Queue, Drain: w.React})
	river.AddWorker(workers, &queue.DueWorker{Queue: s.Queue})
	river.AddWorker(workers, &queue.PullRequestWorker{Queue: s.Queue, Look: w.Look})
	river.AddWorker(workers, &queue.SideWorker{Queue: s.Queue, Run: w.Side, GiveUp: w.GiveUpSide, Log: log})
	client, err := river.NewClient(riverpgxv5.New(s.Pool), &river.Config{
		ID: id, Workers: workers, Logger: onlyWarnings(log), JobTimeout: -1,
		Middleware:   append(traced(w.Traces), countJobs(w.Metrics), maskErrors(w.Secrets), catchPanics),
		ErrorHandler: failureLog{log, w.Secrets},
		// Test is the library's name for the field; it takes any clock, and this one is the database's.
		Test: river.TestConfig{Time: s.Clock()},
		// A person is waiting: a job starts within milliseconds after its commit.
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 250 * time.Millisecond,
		Queues: map[string]river.QueueConfig{
			// A few more workers than sessions may be at work: sessions that wait for a place still receive
			// messages.
			river.QueueDefault: {MaxWorkers: atOnce + 8},
			// Most posting jobs only wait for Slack, which costs nothing. With few workers, the jobs of one
			// channel that accepts no messages would hold up all others.
			queue.PostQueue:  {MaxWorkers: cmp.Or(w.Posters, 1000)},
			queue.ReactQueue: {MaxWorkers: cmp.Or(w.Posters, 1000)},
			// Git hosts ask clients not to send many requests at once. No person waits for the jobs of
			// these three queues, and each poll of a queue is a transaction, at every replica.
			queue.HostQueue: {MaxWorkers: 2, FetchPollInterval: lookSeldom},
			// These jobs use the machine that sessions at work need.
			queue.HistoryWork:  {MaxWorkers: 2, FetchPollInterval: lookSeldom},
			queue.BackportWork: {MaxWorkers: 1, FetchPollInterval: lookSeldom},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return &Queue{client: client, replica: &queue.Replica{Queue: s.Queue, ID: id, Log: log}}, nil
}

// lookSeldom is the poll interval of queues whose jobs may start seconds late if the database did not
// announce them.
const lookSeldom = 2 * time.Second

// traced returns the middleware that makes a span of each job, in the trace under which the job was
// inserted; none if no traces are sent.
func traced(t *traces.Traces) []rivertype.Middleware {
	if t == nil {
		return nil
	}
	spans := otelriver.NewMiddleware(&otelriver.MiddlewareConfig{
		TracerProvider:              t.Provider(),
		EnableWorkSpanJobKindSuffix: true,
	})
	return []rivertype.Middleware{river.WorkerMiddlewareFunc(
		func(ctx context.Context, j *rivertype.JobRow, do func(context.Context) error) error {
			return spans.Work(tracing.From(ctx, j.Metadata), j, func(ctx context.Context) error {
				tracing.Of(ctx).Label("session", sessionOf(j))
				return do(ctx)
			})
		})}
}

// sessionOf returns the session that a job is for, or "".
func sessionOf(j *rivertype.JobRow) string {
	var of struct {
		Session string `json:"session"`
	}
	_ = json.Unmarshal(j.EncodedArgs, &of) // the arguments of other jobs name no session
	return of.Session
}

// countJobs counts each job that ended and its duration. A job that asked to run again later counts as a
// success.
func countJobs(m *metrics.Metrics) rivertype.Middleware {
	return river.WorkerMiddlewareFunc(
		func(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
			began := time.Now()
			err := do(ctx)
			counted := err
			var snoozed *river.JobSnoozeError
			if errors.As(err, &snoozed) {
				counted = nil
			}
			m.Job(job.Kind, time.Since(began), counted)
			return err
		})
}

// maskErrors masks secrets in the errors that the queue stores with its jobs. An error without a secret is
// returned unchanged.
func maskErrors(secrets *redact.Finder) rivertype.Middleware {
	return river.WorkerMiddlewareFunc(
		func(ctx context.Context, _ *rivertype.JobRow, do func(context.Context) error) error {
			err := do(ctx)
			if err == nil {
				return nil
			}
			if text := err.Error(); secrets.Mask(text) != text {
				return errors.New(secrets.Mask(text))
			}
			return err
		})
}

// catchPanics makes an error of a panic, so that it is counted, masked and logged as one.
var catchPanics = river.WorkerMiddlewareFunc(
	func(ctx context.Context, _ *rivertype.JobRow, do func(context.Context) error) error {
		return queue.CatchPanic(func() error { return do(ctx) })
	})

// A failureLog logs each attempt at a job that failed, with its session. The queue library says nothing of a
// session, and says it as information only, which onlyWarnings drops.
type failureLog struct {
	log     *slog.Logger
	secrets *redact.Finder
}

// HandleError logs an error, which maskErrors has masked. It is not called for a job
// that asked to run again later.
func (f failureLog) HandleError(
	ctx context.Context, j *rivertype.JobRow, err error,
) *river.ErrorHandlerResult {
	if ctx.Err() == nil { // else the program stops
		f.log.Warn("a job failed", "kind", j.Kind, "session", sessionOf(j), "attempt", j.Attempt,
			"of", j.MaxAttempts, "err", err)
	}
	return nil
}

// HandlePanic logs a panic outside a worker: catchPanics has made an error of any other.
func (f failureLog) HandlePanic(
	_ context.Context, j *rivertype.JobRow, value any, trace string,
) *river.ErrorHandlerResult {
	f.log.Error("a job panicked", "kind", j.Kind, "session", sessionOf(j), "attempt", j.Attempt,
		"of", j.MaxAttempts,
		"err", f.secrets.Mask(fmt.Sprint(value)), "trace", trace)
	return nil
}

// onlyWarnings returns a logger that drops what the queue library logs below the level warning.
func onlyWarnings(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// drainWithin is how long work in progress has to stop. A supervisor commonly allows twenty seconds; the
// rest is for closing what is open.
const drainWithin = 12 * time.Second

// makeWayWithin is how long work in progress has to stop if nobody told this program to stop, so that no
// supervisor waits for its end.
const makeWayWithin = time.Minute

// drainTime returns how long work in progress has to stop after the end of ctx.
func drainTime(ctx context.Context) time.Duration {
	var newer *database.NewerError
	if errors.As(context.Cause(ctx), &newer) {
		return makeWayWithin
	}
	return failpoint.Wait(failpoint.DrainTime, drainWithin)
}

// startClient starts the client. The start fails after some seconds if the database is too slow or
// unreachable, or if this process was suspended; it is then tried again, since all work in progress depends
// on it. An error that no waiting fixes is returned.
func (q *Queue) startClient(ctx context.Context) error {
	retry := storage.Retry{
		Refused: storage.RefusedForGood,
		Log:     q.replica.Log,
		Message: "the database is too slow to begin, or away; trying again",
	}
	return retry.Do(ctx, func() error {
		// The client's own context must outlive ctx: its end would cancel running jobs without warning.
		return q.client.Start(context.WithoutCancel(ctx))
	})
}

// Run works jobs until ctx ends, then puts the work in progress back into the queue.
func (q *Queue) Run(ctx context.Context) error {
	if err := q.replica.Resume(ctx); err != nil {
		return fmt.Errorf("job queue: take back what a former process had in hand: %w", err)
	}
	// The replica sends heartbeats until it holds no work. Otherwise the other replicas would take the work
	// over while it is being put back.
	beat, silence := context.WithCancel(context.WithoutCancel(ctx))
	defer silence()
	beating := make(chan error, 1)
	go func() { beating <- q.replica.Run(beat) }()
	if err := q.startClient(ctx); err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime(ctx))
	defer cancel()
	err := q.client.StopAndCancel(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		q.replica.Log.Warn(
			"not everything could be put back; the other replicas, or the next start, take it over")
		err = nil
	}
	silence()
	<-beating
	return err
}
