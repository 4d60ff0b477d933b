package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// ConcurrencyLimits says how many sessions may be at work at once,
// over all replicas. Zero means as many as there are workers.
type ConcurrencyLimits struct {
	AtOnce        int // in all
	PerRepository int // about one repository
	PerReplica    int // in one process, the same in all of them
}

// How long a session without a slot waits before it asks again. Messages to the session do not wait for that.
const (
	askElsewhere = 50 * time.Millisecond  // another replica has room for it
	askNext      = time.Second            // it is the first in line
	askLater     = 250 * time.Millisecond // added for each session before it
	askAtMost    = 4 * time.Second        // River polls only every five seconds for jobs that are due later
)

// slotLock is the key of the lock for slots: any number that
// no other lock has, but the same in every replica.
const slotLock = 0x626f6263

// AcquireSlot asks for a slot for the session, which works on a repository, under the job that
// ctx runs under. If it has to wait, the error wraps errNoSlot and snoozes the job. Slots are
// given in the order of asking. If another replica has room, the session goes on there at
// once, and the thread need not be told of a wait. If none has, announce is true, once for
// each wait. The slot is released with the end of the job; work outside of a job needs none.
func (q *Queue) AcquireSlot(
	ctx context.Context, session, repository string, limits ConcurrencyLimits,
) (announce bool, err error) {
	job := jobOf(ctx)
	if job == nil || limits == (ConcurrencyLimits{}) {
		return false, nil
	}
	var wait time.Duration
	err = q.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, slotLock); err != nil {
			return err
		}
		if err := sweepSlots(ctx, tx); err != nil {
			return err
		}
		var announced bool
		if err := tx.QueryRow(ctx,
			`insert into seats (session_id, repository, job_id, since) values ($1, $2, $3, clock_timestamp())
			on conflict (session_id) do update set job_id = excluded.job_id, repository = excluded.repository
				returning wait_announced`,
			session, repository, job.ID).Scan(&announced); err != nil {
			return err
		}
		asked, living, err := readSlots(ctx, tx, job.AttemptedBy[len(job.AttemptedBy)-1])
		if err != nil {
			return err
		}
		wait = limits.wait(asked, living, session)
		announce = wait > 0 && wait != askElsewhere && !announced
		if wait > 0 && !announce {
			return nil
		}
		_, err = tx.Exec(ctx, `update seats set held = $2, wait_announced = $3 where session_id = $1`,
			session, wait == 0, announce || announced)
		return err
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("a place at work for %s: %w", session, err)
	case wait > 0:
		return announce, fmt.Errorf("%w: %w", errNoSlot, river.JobSnooze(wait))
	}
	failpoint.Crash("slot_taken")
	return false, nil
}

type slot struct {
	Session, Repository string
	Held                bool
	Here                bool // its job runs on this replica
}

// readSlots returns the slots that are held and asked for, in order, and the number of live replicas.
func readSlots(ctx context.Context, tx pgx.Tx, replica string) (asked []slot, living int, err error) {
	rows, err := tx.Query(ctx,
		`select s.session_id, s.repository, s.held, coalesce(j.attempted_by[array_upper(j.attempted_by, 1)] =
		$1, false)
		from seats s left join river_job j on j.id = s.job_id order by s.held desc, s.since, s.session_id`,
		replica)
	if err != nil {
		return nil, 0, err
	}
	if asked, err = pgx.CollectRows(rows, pgx.RowToStructByPos[slot]); err != nil {
		return nil, 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from replicas where seen_at > now() - $1::interval`,
		deadAfter()).Scan(&living)
	return asked, living, err
}

// wait returns how long the session waits before it asks again, or zero if it has a slot.
// Slots are given in order: first to the sessions that hold one, then to those that wait.
func (c ConcurrencyLimits) wait(asked []slot, living int, session string) time.Duration {
	if room := c.PerReplica * max(living, 1); room > 0 && (c.AtOnce == 0 || room < c.AtOnce) {
		c.AtOnce = room // as many as all live replicas may have
	}
	here := 0
	given := 0
	before := 0
	about := map[string]int{}
	for _, a := range asked {
		full := c.AtOnce > 0 && given >= c.AtOnce ||
			c.PerRepository > 0 && about[a.Repository] >= c.PerRepository
		switch {
		case a.Session != session:
		case full && !a.Held:
			return min(askNext+time.Duration(before)*askLater, askAtMost)
		case c.PerReplica > 0 && here >= c.PerReplica && !a.Held:
			return askElsewhere
		default:
			return 0
		}
		if a.Held || !full {
			given++
			about[a.Repository]++
		}
		if a.Held && a.Here {
			here++
		}
		if !a.Held {
			before++
		}
	}
	return 0
}

// sweepSlots deletes slots without a live job: a held slot whose
// job does not run any more, and a waiting one whose job is gone.
func sweepSlots(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx,
		`delete from seats s where not exists (select 1 from river_job j where j.id = s.job_id
		and (j.state = 'running' or not s.held and j.state in ('available', 'scheduled', 'retryable',
			'pending')))`)
	return err
}
