package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
	"github.com/riverqueue/rivercontrib/otelriver"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// A Queue works the jobs that the store puts in.
type Queue struct {
	client  *river.Client[pgx.Tx]
	replica *queue.Replica
}

// Work is what the queue's jobs do.
type Work struct {
	Turn   func(ctx context.Context, session string) error
	GiveUp func(ctx context.Context, session string, cause error) error
	Post   func(ctx context.Context, session string) error
	React  func(ctx context.Context, session string) error
	// Look looks after the pull request of what a session pushed.
	Look func(ctx context.Context, session string) (again time.Duration, err error)

	Side, GiveUpSide map[string]func(ctx context.Context, session string) error // by the kind of work; see queue.SideWorker

	Posters int            // sessions that are posted at once; default 1000
	Secrets *redact.Finder // kept out of what the queue keeps of failed jobs
	Metrics *metrics.Metrics
	Traces  *traces.Traces
}

// NewQueue makes a replica's queue, with at most that many sessions at work at once. It registers
// every kind of job; each replica has to, or the one that leads would discard what it does not know.
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
		Middleware: append(traced(w.Traces), countJobs(w.Metrics), maskErrors(w.Secrets)),
		// The name of the field is the library's: it takes any clock, and this is the database's.
		Test: river.TestConfig{Time: s.Clock()},
		// A person waits: a job starts within milliseconds of its commit.
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 250 * time.Millisecond,
		Queues: map[string]river.QueueConfig{
			// Some more than may be at work: those that wait for a place still hear what is said.
			river.QueueDefault: {MaxWorkers: atOnce + 8},
			// Most that post wait for Slack, which costs nothing; with few, those of one channel
			// that takes nothing would hold up all others.
			queue.PostQueue:  {MaxWorkers: cmp.Or(w.Posters, 1000)},
			queue.ReactQueue: {MaxWorkers: cmp.Or(w.Posters, 1000)},
			// Hosts ask not to be asked much at once. Nobody waits for these three, and each look for
			// jobs of a queue is a transaction, at every replica.
			queue.HostQueue: {MaxWorkers: 2, FetchPollInterval: lookSeldom},
			// They take the machine from those who work.
			queue.LookbackWork: {MaxWorkers: 2, FetchPollInterval: lookSeldom},
			queue.BackportWork: {MaxWorkers: 1, FetchPollInterval: lookSeldom},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return &Queue{client: client, replica: &queue.Replica{Queue: s.Queue, ID: id, Log: log}}, nil
}

// lookSeldom is for queues whose jobs may begin seconds late where the database did not say that
// there is one.
const lookSeldom = 2 * time.Second

// traced makes a span of each job, in the trace that it was inserted under; nothing does where no
// traces are sent.
func traced(t *traces.Traces) []rivertype.Middleware {
	if t == nil {
		return nil
	}
	spans := otelriver.NewMiddleware(&otelriver.MiddlewareConfig{TracerProvider: t.Provider(), EnableWorkSpanJobKindSuffix: true})
	return []rivertype.Middleware{river.WorkerMiddlewareFunc(func(ctx context.Context, j *rivertype.JobRow, do func(context.Context) error) error {
		return spans.Work(tracing.From(ctx, j.Metadata), j, func(ctx context.Context) error {
			var of struct {
				Session string `json:"session"`
			}
			_ = json.Unmarshal(j.EncodedArgs, &of)
			tracing.Of(ctx).Label("session", of.Session)
			return do(ctx)
		})
	})}
}

// countJobs counts each job that ended; one that asked to come again later did what it could.
func countJobs(m *metrics.Metrics) rivertype.Middleware {
	return river.WorkerMiddlewareFunc(func(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
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

// maskErrors keeps secrets out of the errors that the queue writes beside its jobs. An error
// with none in it stays what it is.
func maskErrors(secrets *redact.Finder) rivertype.Middleware {
	return river.WorkerMiddlewareFunc(func(ctx context.Context, _ *rivertype.JobRow, do func(context.Context) error) error {
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

// onlyWarnings keeps the queue's own housekeeping out of the bot's log.
func onlyWarnings(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// drainWithin is how long what is under way has to come to a stop. Twenty seconds is what
// those who stop a program commonly give it; some are left to close what is open.
const drainWithin = 12 * time.Second

// startClient starts the client. It gives up after some seconds where the database is too slow or
// away, or where this process slept; the same is tried again then, since all that is under
// way waits for it. What the database refuses for good stays refused.
func (q *Queue) startClient(ctx context.Context) error {
	retry := storage.Retry{Refused: storage.RefusedForGood, Log: q.replica.Log, Message: "the database is too slow to begin, or away; trying again"}
	return retry.Do(ctx, func() error {
		// The client's own context must outlive ctx: ending it would end jobs without a word.
		return q.client.Start(context.WithoutCancel(ctx))
	})
}

// Run works until ctx ends, then hands what is under way back to the queue.
func (q *Queue) Run(ctx context.Context) error {
	if err := q.replica.Resume(ctx); err != nil {
		return fmt.Errorf("job queue: take back what a former process had in hand: %w", err)
	}
	// It beats until nothing is in its hands: else the others would take that over while it
	// is being put back.
	beat, silence := context.WithCancel(context.WithoutCancel(ctx))
	defer silence()
	beating := make(chan error, 1)
	go func() { beating <- q.replica.Run(beat) }()
	if err := q.startClient(ctx); err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
	defer cancel()
	err := q.client.StopAndCancel(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		q.replica.Log.Warn("not everything could be put back; the other replicas, or the next start, take it over")
		err = nil
	}
	silence()
	<-beating
	return err
}
