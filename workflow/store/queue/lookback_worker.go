package queue

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A LookbackJob is what one session has asked for beside its turns: pictures, and a look back in the
// history of what it is about.
type LookbackJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind names the job in the queue.
func (LookbackJob) Kind() string { return "lookback" }

// InsertOpts make it one job a session.
func (LookbackJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 5, Queue: LookbackQueue, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}}
}

// LookbackQueue keeps that apart from turns, which it never holds up.
const LookbackQueue = "lookback"

// InsertLookback queues the session's job, unless it waits or runs.
func (q *Queue) InsertLookback(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := q.client.InsertTx(ctx, tx, LookbackJob{Session: session}, nil)
	return err
}

// A LookbackWorker works LookbackJobs.
type LookbackWorker struct {
	river.WorkerDefaults[LookbackJob]
	Queue *Queue
	Run   func(ctx context.Context, session string) error
	Log   *slog.Logger
}

// Timeout is none: pictures and looking back have limits of their own.
func (w *LookbackWorker) Timeout(*river.Job[LookbackJob]) time.Duration { return -1 }

// NextRetry is soon.
func (w *LookbackWorker) NextRetry(j *river.Job[LookbackJob]) time.Time {
	return w.Queue.retrySoon(j.Attempt)
}

// Work runs until nothing is left to do. What keeps failing on our side is given up:
// nobody waits for it.
func (w *LookbackWorker) Work(ctx context.Context, j *river.Job[LookbackJob]) error {
	defer w.Queue.running.begin(j.ID)()
	ctx = withJob(ctx, j.JobRow)
	for {
		err := w.Run(ctx, j.Args.Session)
		switch {
		case err == nil:
		case errors.Is(err, ErrFenced):
			return nil
		case ctx.Err() != nil:
			return river.JobSnooze(0)
		case database.IsTransient(err):
			return river.JobSnooze(time.Second)
		case j.Attempt < j.MaxAttempts:
			return err
		default:
			w.Log.Error("giving up what goes on beside the turns", "session", j.Args.Session, "err", err)
			for _, table := range []string{"lookbacks", "pictures"} {
				if _, err := w.Queue.db.Pool.Exec(ctx, `update `+table+` set state = 'stopped' where session_id = $1 and state = 'open'`, j.Args.Session); err != nil {
					return err
				}
			}
		}
		done, err := completeWhen(ctx, w.Queue, j, j.Args.Session, `select not exists (select 1 from lookbacks where session_id = $1 and state = 'open') and not exists (select 1 from pictures where session_id = $1 and state = 'open')`)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}
