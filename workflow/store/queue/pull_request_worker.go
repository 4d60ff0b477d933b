package queue

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/store/database"
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

// Work looks once.
func (w *PullRequestWorker) Work(ctx context.Context, j *river.Job[PullRequestJob]) error {
	defer w.Queue.running.begin(j.ID)()
	ctx = withJob(ctx, j.JobRow)
	for {
		again, err := w.Look(ctx, j.Args.Session)
		switch {
		case errors.Is(err, ErrFenced):
			return nil
		case err != nil && ctx.Err() != nil:
			return river.JobSnooze(0)
		case database.IsTransient(err):
			return river.JobSnooze(time.Second)
		case err != nil:
			return err
		case again > 0:
			return river.JobSnooze(again)
		}
		done, err := completeWhen(ctx, w.Queue, j, j.Args.Session, `select not exists (select 1 from pull_requests p
			join sessions s on s.id = p.session_id where p.session_id = $1 and p.state = 'intended' and s.cleared_at is null)`)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}
