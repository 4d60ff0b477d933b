package queue

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A PostWorker works PostJobs: it posts until no line of the session waits.
type PostWorker struct {
	river.WorkerDefaults[PostJob]
	Queue *Queue
	Drain func(ctx context.Context, session string) error
}

// Timeout returns -1, which means none: Slack may ask to wait for minutes.
func (p *PostWorker) Timeout(*river.Job[PostJob]) time.Duration { return -1 }

// NextRetry returns a time soon, since the lines behind this one wait.
func (p *PostWorker) NextRetry(j *river.Job[PostJob]) time.Time { return p.Queue.retrySoon(j.Attempt) }

// Work posts until no line waits.
func (p *PostWorker) Work(ctx context.Context, j *river.Job[PostJob]) error {
	return drain(ctx, p.Queue, j, j.Args.Session, nothingUnposted+`o.reaction = '')`,
		func(ctx context.Context, session string) error {
			err := p.Drain(ctx, session)
			if err == nil || errors.Is(err, ErrFenced) || ctx.Err() != nil || database.IsTransient(err) ||
				!p.Queue.hasPosted(ctx, session, j.ID) {
				return err
			}
			// The error is not counted against the job; otherwise a
			// session with much to say would be retried later and later.
			p.Queue.db.Log.Warn("posting goes on in a moment", "session", session, "err", err)
			return river.JobSnooze(time.Second)
		})
}

// A ReactWorker works ReactJobs: it adds reactions until none of the session waits.
type ReactWorker struct {
	river.WorkerDefaults[ReactJob]
	Queue *Queue
	Drain func(ctx context.Context, session string) error
}

// Timeout returns -1, which means none: Slack may ask to wait for minutes.
func (r *ReactWorker) Timeout(*river.Job[ReactJob]) time.Duration { return -1 }

// NextRetry returns a time soon.
func (r *ReactWorker) NextRetry(j *river.Job[ReactJob]) time.Time {
	return r.Queue.retrySoon(j.Attempt)
}

// Work adds reactions until none waits.
func (r *ReactWorker) Work(ctx context.Context, j *river.Job[ReactJob]) error {
	return drain(ctx, r.Queue, j, j.Args.Session, nothingUnposted+`o.reaction <> '')`, r.Drain)
}

// nothingUnposted is the start of a query that is true if no outbox row of the
// session waits. The condition that selects lines or reactions follows it.
const nothingUnposted = `select not exists (select 1 from outbox o where o.session_id = $1
	and o.posted_at is null and o.refused is null and `

// errReplaced is what work returns if it has completed its job and inserted another one in its place.
var errReplaced = errors.New("another job goes on with this")

// drain calls work until the query empty is true for the session, and completes the job then.
func drain[T river.JobArgs](ctx context.Context, q *Queue, j *river.Job[T], session, empty string, work func(
	context.Context, string,
) error,
) error {
	defer q.running.begin(j.ID)()
	ctx = withJob(ctx, j.JobRow)
	for {
		err := work(ctx, session)
		switch {
		case errors.Is(err, ErrFenced) || errors.Is(err, errReplaced):
			return nil
		case err != nil && ctx.Err() != nil:
			return river.JobSnooze(0)
		case database.IsTransient(err):
			return river.JobSnooze(time.Second)
		case err != nil:
			return err
		}
		done, err := completeWhen(ctx, q, j, session, empty)
		if errors.Is(err, ErrFenced) {
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// hasPosted reports whether the latest attempt of a job has posted anything.
func (q *Queue) hasPosted(ctx context.Context, session string, job int64) (posted bool) {
	err := q.db.Pool.QueryRow(ctx,
		`select exists (select 1 from outbox o join river_job j on o.posted_at > j.attempted_at
		where o.session_id = $1 and j.id = $2)`, session, job).Scan(&posted)
	return err == nil && posted
}
