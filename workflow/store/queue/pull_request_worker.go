package queue

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// A PullRequestWorker works PullRequestJobs: it files what is to be filed for the session, looks at its
// pull requests, and looks again later, until there is nothing more to see.
type PullRequestWorker struct {
	river.WorkerDefaults[PullRequestJob]
	Queue *Queue
	// Look looks once, and returns the time until the next look; zero: there is none.
	Look func(ctx context.Context, session string) (again time.Duration, err error)
}

// Timeout returns -1, which means none: a host may be slow.
func (p *PullRequestWorker) Timeout(*river.Job[PullRequestJob]) time.Duration { return -1 }

// NextRetry returns a time soon.
func (p *PullRequestWorker) NextRetry(j *river.Job[PullRequestJob]) time.Time {
	return p.Queue.retrySoon(j.Attempt)
}

// Work looks once, and queues the next look in place of this one. It opens and pushes nothing
// while the session's work is paused.
func (p *PullRequestWorker) Work(ctx context.Context, j *river.Job[PullRequestJob]) error {
	return drain(ctx, p.Queue, j, j.Args.Session, `select not exists (select 1 from pull_requests p
			join sessions s on s.id = p.session_id where p.session_id = $1 and p.state = 'intended'
				and s.cleared_at is null)
			and not exists (select 1 from ci_proofs c join sessions s on s.id = c.session_id
				where c.session_id = $1 and `+openProof+` and s.cleared_at is null)
			and not exists (select 1 from tickets t join sessions s on s.id = t.session_id
				where t.session_id = $1 and t.state = 'intended' and s.cleared_at is null)`,
		func(ctx context.Context, session string) error {
			if err := p.Queue.mayOpen(ctx, session); err != nil {
				return err
			}
			// What caused this look is cleared before the look begins.
			if _, err := p.Queue.db.Pool.Exec(ctx, `update pull_requests set woken = false
				where session_id = $1 and woken`, session); err != nil {
				return err
			}
			again, err := p.Look(ctx, session)
			if err != nil || again <= 0 {
				return err
			}
			return p.lookAgain(ctx, j, again)
		})
}

// openProof is the condition that something is left to do for a row c of ci_proofs.
const openProof = `(c.state = 'waiting' or c.tests_state in ('intended', 'pushed', 'unwanted'))`

// LookPause is the minimum time between a look and one that a push or a webhook causes.
const LookPause = 5 * time.Second

// lookAgain completes this job, queues the next look and returns errReplaced.
// The next look comes soon if a push or a webhook came during this one. It
// locks the session's row, as the transactions of a push or a webhook do.
func (p *PullRequestWorker) lookAgain(
	ctx context.Context, j *river.Job[PullRequestJob], again time.Duration,
) error {
	err := p.Queue.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`,
			j.Args.Session); err != nil {
			return err
		}
		if err := CheckJob(ctx, tx); err != nil {
			return err
		}
		if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j); err != nil {
			return err
		}
		var woken bool
		if err := tx.QueryRow(ctx,
			`select exists (select 1 from pull_requests where session_id = $1 and woken)
				or exists (select 1 from tickets where session_id = $1 and state = 'intended'
					and tried_at is null)`,
			j.Args.Session).Scan(&woken); err != nil {
			return err
		}
		if woken {
			again = min(again, LookPause)
		}
		if _, err := p.Queue.client.InsertTx(ctx, tx, j.Args, &river.InsertOpts{
			ScheduledAt: p.Queue.db.Clock().Now().Add(again),
		}); err != nil || again > LookPause {
			return err
		}
		// River polls every few seconds for scheduled jobs, and sees
		// at once a job that is available and due.
		_, err := tx.Exec(ctx,
			`update river_job set state = 'available' where kind = 'pull_request' and state = 'scheduled'
				and args->>'session' = $1`,
			j.Args.Session)
		return err
	})
	return cmp.Or(err, errReplaced)
}
