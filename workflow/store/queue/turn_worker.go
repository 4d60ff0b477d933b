package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A TurnWorker works TurnJobs: it runs turns until the inbox is empty, or until a pause holds the session.
type TurnWorker struct {
	river.WorkerDefaults[TurnJob]
	Queue *Queue
	Run   func(ctx context.Context, session string) error
	// GiveUp is called instead of another try after the last attempt failed
	// or panicked, or if the session killed too many workers.
	GiveUp func(ctx context.Context, session string, cause error) error
	Log    *slog.Logger
}

// Timeout returns -1, which means none: a session's own limits end it, not River's default of one minute.
func (t *TurnWorker) Timeout(*river.Job[TurnJob]) time.Duration { return -1 }

// NextRetry returns a time soon, since a person waits for the answer.
func (t *TurnWorker) NextRetry(j *river.Job[TurnJob]) time.Time { return t.Queue.retrySoon(j.Attempt) }

// Work runs turns until nothing is left, then completes the job in the transaction that saw it.
func (t *TurnWorker) Work(ctx context.Context, j *river.Job[TurnJob]) error {
	defer t.Queue.running.begin(j.ID)()
	session := j.Args.Session
	ctx = withJob(ctx, j.JobRow)
	for {
		err := t.Queue.db.Retry(ctx,
			func() error { return CatchPanic(func() error { return t.run(ctx, session) }) })
		switch {
		case err == nil:
		case errors.Is(err, ErrFenced):
			return nil // the job is another worker's now
		case ctx.Err() != nil: // the program stops: not the session's fault, and no attempt lost
			return river.JobSnooze(0)
		case errors.Is(err, errNoSlot):
			return err // the error says when to ask again
		case database.IsTransient(err):
			return river.JobSnooze(time.Second)
		case j.Attempt < j.MaxAttempts && !errors.Is(err, errCrashes):
			return err
		default:
			t.Log.Error("giving up on a session", "session", session, "err", err)
			if err := t.GiveUp(context.WithoutCancel(ctx), session, err); err != nil {
				return err
			}
		}
		done, err := completeWhen(ctx, t.Queue, j, session, nothingToJudge)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// nothingToJudge is a query that is true if no message of the session waits, or if its thread was
// told of a pause that lasts: a turn handles nothing then. A replica queues another turn when the
// pause is lifted (see wake).
const nothingToJudge = `select not exists (select 1 from inbox where session_id = $1 and handled_at is null)
	or exists (select 1 from pauses_told d join pauses p using (scope, name, at) where d.session_id = $1)`

// A session may kill its worker maxCrashes times in a row without recording anything. countCrash divides one
// crash among the suspected sessions, so sessions.crashes counts in units of 1/crashUnit.
const (
	crashUnit  = 1000
	maxCrashes = 15
)

var errCrashes = fmt.Errorf("%d times in a row the program died while it worked at this", maxCrashes)

// run runs one turn. It fails with errCrashes if the session killed too many workers.
func (t *TurnWorker) run(ctx context.Context, session string) error {
	var crashes int
	if err := t.Queue.db.Pool.QueryRow(ctx, `select crashes from sessions where id = $1`,
		session).Scan(&crashes); err != nil {
		return err
	}
	if crashes >= maxCrashes*crashUnit {
		return errCrashes
	}
	return t.Run(ctx, session)
}
