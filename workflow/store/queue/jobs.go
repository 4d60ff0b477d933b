package queue

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// live holds the states in which a job counts as its session's job, so that no second
// one is inserted. A completed job does not count, so a job is completed only in the
// transaction that saw, under the lock of the session's row, that nothing is left to do.
var live = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
	rivertype.JobStateScheduled, rivertype.JobStateRetryable,
}

// A TurnJob handles one session's inbox and takes the session as far as it goes.
type TurnJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind returns the job's name in the queue.
func (TurnJob) Kind() string { return "turn" }

// InsertOpts allows one live job for each session.
func (TurnJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 5, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: live}}
}

// A PostJob posts the lines that one session has in the outbox, in order.
type PostJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind returns the job's name in the queue.
func (PostJob) Kind() string { return "post" }

// InsertOpts allows one live job for each session.
func (PostJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		MaxAttempts: 1000,
		Queue:       PostQueue,
		UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: live},
	}
}

// PostQueue is the queue of PostJobs. It is not that of turns, so long turns never delay lines.
const PostQueue = "post"

// A ReactJob adds the reactions that one session has in the outbox.
type ReactJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind returns the job's name in the queue.
func (ReactJob) Kind() string { return "react" }

// InsertOpts allows one live job for each session.
func (ReactJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		MaxAttempts: 1000,
		Queue:       ReactQueue,
		UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: live},
	}
}

// ReactQueue is the queue of ReactJobs, so that lines never delay reactions.
const ReactQueue = "react"

// A DueJob tells a session that a question has waited long enough.
type DueJob struct {
	Session  string `json:"session" river:"unique"`
	Question int64  `json:"question" river:"unique"`
}

// Kind returns the job's name in the queue.
func (DueJob) Kind() string { return "due" }

// A PullRequestJob opens the pull requests of what one session pushed, and follows them.
type PullRequestJob struct {
	Session string `json:"session" river:"unique"`
}

// Kind returns the job's name in the queue.
func (PullRequestJob) Kind() string { return "pull_request" }

// InsertOpts allows one live job for each session.
func (PullRequestJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		MaxAttempts: 1000,
		Queue:       HostQueue,
		UniqueOpts:  river.UniqueOpts{ByArgs: true, ByState: live},
	}
}

// HostQueue is the queue of PullRequestJobs, so that waiting for git hosts never delays turns.
const HostQueue = "host"

// InsertTurn queues a turn of the session and the jobs beside it, each unless one waits or runs
// already. If the session's turn waits for a slot, it runs at once, to look at what is new.
func (q *Queue) InsertTurn(ctx context.Context, tx pgx.Tx, session string, beside ...river.JobArgs) error {
	jobs := []river.InsertManyParams{{Args: TurnJob{Session: session}}}
	for _, other := range beside {
		jobs = append(jobs, river.InsertManyParams{Args: other})
	}
	queued, err := q.client.InsertManyTx(ctx, tx, jobs)
	if err != nil {
		return err
	}
	for _, r := range queued {
		// A turn that runs already looks at what is new by itself.
		if r.Job.Kind != (TurnJob{}).Kind() || !r.UniqueSkippedAsDuplicate ||
			r.Job.State != rivertype.JobStateAvailable {
			continue
		}
		_, err = tx.Exec(ctx, `update river_job set scheduled_at = $2 where id = $1 and scheduled_at > $2
			and exists (select 1 from seats where job_id = $1 and not held)`, r.Job.ID, q.db.Clock().Now())
	}
	return err
}

// InsertReact queues the session's reactions, unless a job for them waits or runs.
func (q *Queue) InsertReact(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := q.client.InsertTx(ctx, tx, ReactJob{Session: session}, nil)
	return err
}

// InsertPost queues the posting of the session's lines, unless a job for it waits or runs.
func (q *Queue) InsertPost(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := q.client.InsertTx(ctx, tx, PostJob{Session: session}, nil)
	return err
}

// InsertPullRequest queues a look at the session's pull
// requests. A look that is scheduled for later comes now.
func (q *Queue) InsertPullRequest(ctx context.Context, tx pgx.Tx, session string) error {
	if _, err := q.client.InsertTx(ctx, tx, PullRequestJob{Session: session}, nil); err != nil {
		return err
	}
	_, err := tx.Exec(ctx,
		`update river_job set state = 'available', scheduled_at = $2 where kind = 'pull_request'
			and args->>'session' = $1 and state in ('scheduled', 'retryable')`,
		session, q.db.Clock().Now())
	return err
}

// InsertDue queues the DueJob of the question for that time; a zero time means now.
func (q *Queue) InsertDue(
	ctx context.Context, tx pgx.Tx, session string, question int64, at time.Time,
) error {
	_, err := q.client.InsertTx(ctx, tx, DueJob{Session: session, Question: question}, &river.InsertOpts{
		ScheduledAt: at,
	})
	return err
}
