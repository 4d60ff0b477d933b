package queue

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// A PullRequestWorker works PullRequestJobs: it looks, and looks again later, until there is
// nothing more to see.
type PullRequestWorker struct {
	river.WorkerDefaults[PullRequestJob]
	Queue *Queue
	// Look says after which time the next look is due; zero: never.
	Look func(ctx context.Context, session string) (again time.Duration, err error)
}

// Timeout is none: a host may be slow.
func (w *PullRequestWorker) Timeout(*river.Job[PullRequestJob]) time.Duration { return -1 }

// NextRetry is soon.
func (w *PullRequestWorker) NextRetry(j *river.Job[PullRequestJob]) time.Time {
	return w.Queue.retrySoon(j.Attempt)
}

// Work looks once, and puts the next look down in its place.
func (w *PullRequestWorker) Work(ctx context.Context, j *river.Job[PullRequestJob]) error {
	return drain(ctx, w.Queue, j, j.Args.Session, `select not exists (select 1 from pull_requests p
			join sessions s on s.id = p.session_id where p.session_id = $1 and p.state = 'intended' and s.cleared_at is null)`, func(ctx context.Context, session string) error {
		// What brought this look is forgotten before it begins.
		if _, err := w.Queue.db.Pool.Exec(ctx, `update pull_requests set woken = false where session_id = $1 and woken`, session); err != nil {
			return err
		}
		again, err := w.Look(ctx, session)
		if err != nil || again <= 0 {
			return err
		}
		return w.lookAgain(ctx, j, again)
	})
}

// LookPause is how long after a look a push or a webhook brings the next one at the earliest.
const LookPause = 5 * time.Second

// lookAgain puts the next look down in the place of this one (errReplaced); soon, where a push or a webhook came
// while it was under way. The session's row is locked as by whoever brings these.
func (w *PullRequestWorker) lookAgain(ctx context.Context, j *river.Job[PullRequestJob], again time.Duration) error {
	err := w.Queue.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, j.Args.Session); err != nil {
			return err
		}
		if err := CheckJob(ctx, tx); err != nil {
			return err
		}
		if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j); err != nil {
			return err
		}
		var woken bool
		if err := tx.QueryRow(ctx, `select exists (select 1 from pull_requests where session_id = $1 and woken)`, j.Args.Session).Scan(&woken); err != nil {
			return err
		}
		if woken {
			again = min(again, LookPause)
		}
		if _, err := w.Queue.client.InsertTx(ctx, tx, j.Args, &river.InsertOpts{ScheduledAt: w.Queue.db.Clock().Now().Add(again)}); err != nil || again > LookPause {
			return err
		}
		// River looks every few seconds for what is scheduled, and sees at once what is available and due.
		_, err := tx.Exec(ctx, `update river_job set state = 'available' where kind = 'pull_request' and state = 'scheduled' and args->>'session' = $1`, j.Args.Session)
		return err
	})
	return cmp.Or(err, errReplaced)
}
