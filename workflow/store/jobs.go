package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
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
func (w *TurnWorker) NextRetry(j *river.Job[TurnJob]) time.Time { return w.Store.retrySoon(j.Attempt) }

// Work runs turns until nothing is left, then completes the job in the transaction that saw it.
func (w *TurnWorker) Work(ctx context.Context, j *river.Job[TurnJob]) error {
	defer w.Store.atWork.begin(j.ID)()
	session := j.Args.Session
	ctx = context.WithValue(ctx, jobKey{}, j.JobRow)
	for {
		err := w.Store.again(ctx, func() error { return w.run(ctx, session) })
		switch {
		case err == nil:
		case errors.Is(err, ErrFenced):
			return nil // the job is somebody else's now
		case ctx.Err() != nil: // the program stops: no fault of the session's, and no attempt lost
			return river.JobSnooze(0)
		case errors.Is(err, ErrNoSeat), Passing(err):
			return river.JobSnooze(time.Second)
		case j.Attempt < j.MaxAttempts && !errors.Is(err, errDeadly):
			return err
		default:
			w.Log.Error("giving up on a session", "session", session, "err", err)
			if err := w.GiveUp(context.WithoutCancel(ctx), session, err); err != nil {
				return err
			}
		}
		done, err := completeWhen(ctx, w.Store, j, session,
			`select not exists (select 1 from inbox where session_id = $1 and handled_at is null)`)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// A session may take its worker down with it mostCrashes times in a row without getting
// one fact further. The blame is shared (see blame): sessions.crashes counts in parts of
// aCrash.
const (
	aCrash      = 1000
	mostCrashes = 15
)

var errDeadly = fmt.Errorf("%d times in a row the program died while it worked at this", mostCrashes)

// run runs one turn, unless the session killed too many workers.
func (w *TurnWorker) run(ctx context.Context, session string) error {
	var crashes int
	if err := w.Store.Pool.QueryRow(ctx, `select crashes from sessions where id = $1`, session).Scan(&crashes); err != nil {
		return err
	}
	if crashes >= mostCrashes*aCrash {
		return errDeadly
	}
	return w.Run(ctx, session)
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
func (w *PostWorker) NextRetry(j *river.Job[PostJob]) time.Time { return w.Store.retrySoon(j.Attempt) }

// Work posts until nothing is left.
func (w *PostWorker) Work(ctx context.Context, j *river.Job[PostJob]) error {
	defer w.Store.atWork.begin(j.ID)()
	ctx = context.WithValue(ctx, jobKey{}, j.JobRow)
	for {
		err := w.Drain(ctx, j.Args.Session)
		switch {
		case errors.Is(err, ErrFenced):
			return nil
		case err != nil && ctx.Err() != nil:
			return river.JobSnooze(0)
		case Passing(err):
			return river.JobSnooze(time.Second)
		case err != nil && w.Store.gotOn(ctx, j.Args.Session, j.ID):
			// Not held against the job: else who has much to say would be tried ever later.
			w.Store.log.Warn("posting goes on in a moment", "session", j.Args.Session, "err", err)
			return river.JobSnooze(time.Second)
		case err != nil:
			return err
		}
		done, err := completeWhen(ctx, w.Store, j, j.Args.Session,
			`select not exists (select 1 from outbox where session_id = $1 and reaction = '' and posted_at is null and refused is null)`)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// retrySoon is in 1, 2, 4, … seconds, a minute at most.
func (s *Store) retrySoon(attempt int) time.Time {
	return s.clock.Now().Add(min(time.Second<<min(attempt-1, 6), time.Minute))
}

// completeWhen completes j when idle says so. The session's row is locked first, as by
// every inserter, so no wake-up falls between the look and the completion, and nobody who
// has the row waits for a job of which we have the lock.
func completeWhen[T river.JobArgs](ctx context.Context, s *Store, j *river.Job[T], session, idle string) (bool, error) {
	done := false
	err := s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, session); err != nil {
			return err
		}
		if _, err := held(ctx, tx); err != nil {
			return err // another worker has it, and its seat
		}
		if err := tx.QueryRow(ctx, idle, session).Scan(&done); err != nil || !done {
			return err
		}
		if j.Kind == (TurnJob{}).Kind() {
			if err := s.stand(ctx, tx, session); err != nil {
				return err
			}
		}
		//crash:job_completing
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
		return err
	})
	return done, err
}

// jobKey is where a worker's ctx holds the row of its job.
type jobKey struct{}

// held is the job that ctx runs under, 0 where there is none. It fails with ErrFenced when
// the job is not this worker's any more, and keeps it from being taken away in this
// transaction.
func held(ctx context.Context, tx pgx.Tx) (int64, error) {
	j, ok := ctx.Value(jobKey{}).(*rivertype.JobRow)
	if !ok {
		return 0, nil
	}
	var id int64
	err := tx.QueryRow(ctx, `select id from river_job where id = $1 and state = 'running' and attempt = $2 for share`, j.ID, j.Attempt).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrFenced
	}
	return id, err
}

// atWork are the jobs that this process has in hand. It knows better than the queue's
// rows: the queue gives up saying that a job ended when Postgres is away for some seconds,
// and the row would say "running" for an hour.
type atWork struct {
	mu   sync.Mutex
	jobs map[int64]time.Time // zero: in hand; else when it was put down
}

func (a *atWork) begin(job int64) (end func()) {
	a.set(job, time.Time{})
	return func() { a.set(job, time.Now()) }
}

func (a *atWork) set(job int64, ended time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.jobs == nil {
		a.jobs = map[int64]time.Time{}
	}
	a.jobs[job] = ended
}

// list are the jobs in hand, and those that were put down less than grace ago, whose end
// the queue may still be writing. Others are forgotten.
func (a *atWork) list(grace time.Duration) []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []int64{} // never null: nothing is unlike all of null
	for job, ended := range a.jobs {
		if !ended.IsZero() && time.Since(ended) > grace {
			delete(a.jobs, job)
			continue
		}
		list = append(list, job)
	}
	return list
}
