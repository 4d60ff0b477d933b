package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// live are the states in which a job still stands for its session: a second one is not
// inserted meanwhile. Completion ends the uniqueness, so a job is completed only in the
// transaction that saw, under the session's row lock, that nothing is left to do.
var live = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
	rivertype.JobStateScheduled, rivertype.JobStateRetryable,
}

// A TurnJob drains one session's inbox and takes the session as far as it goes.
type TurnJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind names the job in the queue.
func (TurnJob) Kind() string { return "turn" }

// InsertOpts make it one job a session.
func (TurnJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 5, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}}
}

// A PostJob posts what one session has in the outbox, in order.
type PostJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind names the job in the queue.
func (PostJob) Kind() string { return "post" }

// InsertOpts make it one job a session.
func (PostJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1000, Queue: PostQueue, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}}
}

// PostQueue keeps posting apart from turns, so that long turns never hold lines back.
const PostQueue = "post"

func (s *Store) queueTurn(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := s.jobs.InsertTx(ctx, tx, TurnJob{Session: session}, nil)
	return err
}

func (s *Store) queuePosting(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := s.jobs.InsertTx(ctx, tx, PostJob{Session: session}, nil)
	return err
}

// A TurnWorker works TurnJobs: it runs turns until the inbox is empty.
type TurnWorker struct {
	river.WorkerDefaults[TurnJob]
	Store *Store
	Run   func(ctx context.Context, session string) error
	// GiveUp is called instead of another try when the last one failed.
	GiveUp func(ctx context.Context, session string, cause error) error
	Log    *slog.Logger
}

// Timeout is none: a session's own limits end it, not the queue's default of one minute.
func (w *TurnWorker) Timeout(*river.Job[TurnJob]) time.Duration { return -1 }

// NextRetry is soon: a person waits for the answer.
func (w *TurnWorker) NextRetry(j *river.Job[TurnJob]) time.Time { return retrySoon(j.Attempt) }

// Work runs turns until nothing is left, then completes the job in the transaction that saw it.
func (w *TurnWorker) Work(ctx context.Context, j *river.Job[TurnJob]) error {
	for {
		if err := w.Run(ctx, j.Args.Session); err != nil {
			if ctx.Err() != nil { // the program stops: no fault of the session's, and no attempt lost
				return river.JobSnooze(0)
			}
			if j.Attempt < j.MaxAttempts {
				return err
			}
			w.Log.Error("giving up on a session", "session", j.Args.Session, "err", err)
			if err := w.GiveUp(context.WithoutCancel(ctx), j.Args.Session, err); err != nil {
				return err
			}
		}
		done, err := completeWhen(ctx, w.Store, j, j.Args.Session,
			`select not exists (select 1 from inbox where session_id = $1 and handled_at is null)`)
		if done || err != nil {
			return err
		}
	}
}

// A PostWorker works PostJobs.
type PostWorker struct {
	river.WorkerDefaults[PostJob]
	Store *Store
	Drain func(ctx context.Context, session string) error
}

// Timeout is none: Slack may ask to wait for minutes.
func (w *PostWorker) Timeout(*river.Job[PostJob]) time.Duration { return -1 }

// NextRetry is soon: lines behind this one wait.
func (w *PostWorker) NextRetry(j *river.Job[PostJob]) time.Time { return retrySoon(j.Attempt) }

// Work posts until nothing is left.
func (w *PostWorker) Work(ctx context.Context, j *river.Job[PostJob]) error {
	for {
		if err := w.Drain(ctx, j.Args.Session); err != nil {
			if ctx.Err() != nil {
				return river.JobSnooze(0)
			}
			return err
		}
		done, err := completeWhen(ctx, w.Store, j, j.Args.Session,
			`select not exists (select 1 from outbox where session_id = $1 and posted_at is null and refused is null)`)
		if done || err != nil {
			return err
		}
	}
}

// retrySoon is 1, 2, 4, … seconds, a minute at most.
func retrySoon(attempt int) time.Time {
	return time.Now().Add(min(time.Second<<min(attempt-1, 6), time.Minute))
}

// completeWhen completes j when idle says so. The session's row is locked first, as by
// every inserter, so no wake-up falls between the look and the completion.
func completeWhen[T river.JobArgs](ctx context.Context, s *Store, j *river.Job[T], session, idle string) (bool, error) {
	done := false
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, session); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, idle, session).Scan(&done); err != nil || !done {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
		return err
	})
	return done, err
}
