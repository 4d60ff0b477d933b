package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// ConcurrencyLimits are how many sessions may be at work at once, over all replicas; zero: as many as
// there are workers.
type ConcurrencyLimits struct {
	AtOnce        int // in all
	PerRepository int // about one repository
	PerReplica    int // in one process, the same in all of them
}

// How long it takes until a session asks again: where another replica has the room for it, where it
// is the next, for each that is before it, and at most. What people write to it does not wait.
const (
	askElsewhere = 50 * time.Millisecond
	askNext      = time.Second
	askLater     = 250 * time.Millisecond
	askAtMost    = 4 * time.Second // the queue only looks for what is due later every five
)

// slotLock is any number, the same in every replica, and no other lock's.
const slotLock = 0x626f6263

// AcquireSlot asks for a slot for the session, about a repository, under the job that ctx
// runs under; the error is an ErrNoSlot where it has to wait. Those who asked first get theirs
// first. Where another replica has the room for it, it goes on there at once, and nobody needs to be
// told of a wait; where none has, announce is true, once for as long as it waits. The slot is
// released with the end of the job; work outside of a job needs none.
func (q *Queue) AcquireSlot(ctx context.Context, session, repository string, limits ConcurrencyLimits) (announce bool, err error) {
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
		if err := tx.QueryRow(ctx, `insert into seats (session_id, repository, job_id, since) values ($1, $2, $3, clock_timestamp())
			on conflict (session_id) do update set job_id = excluded.job_id, repository = excluded.repository returning wait_announced`,
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
		_, err = tx.Exec(ctx, `update seats set held = $2, wait_announced = $3 where session_id = $1`, session, wait == 0, announce || announced)
		return err
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("a place at work for %s: %w", session, err)
	case wait > 0:
		return announce, fmt.Errorf("%w: %w", ErrNoSlot, river.JobSnooze(wait))
	}
	//crash:seat_taken
	return false, nil
}

type slot struct {
	Session, Repository string
	Held                bool
	Here                bool // its job is this replica's
}

// readSlots are the slots held and asked for, in order, and how many replicas live.
func readSlots(ctx context.Context, tx pgx.Tx, replica string) (asked []slot, living int, err error) {
	rows, err := tx.Query(ctx, `select s.session_id, s.repository, s.held, coalesce(j.attempted_by[array_upper(j.attempted_by, 1)] = $1, false)
		from seats s left join river_job j on j.id = s.job_id order by s.held desc, s.since, s.session_id`, replica)
	if err != nil {
		return nil, 0, err
	}
	if asked, err = pgx.CollectRows(rows, pgx.RowToStructByPos[slot]); err != nil {
		return nil, 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from replicas where seen_at > now() - $1::interval`, deadAfter).Scan(&living)
	return asked, living, err
}

// wait is how long the session waits before it asks again; zero: it has a slot. Slots are handed out
// in order: to those who have one, then to those who wait.
func (l ConcurrencyLimits) wait(asked []slot, living int, session string) time.Duration {
	if room := l.PerReplica * max(living, 1); room > 0 && (l.AtOnce == 0 || room < l.AtOnce) {
		l.AtOnce = room // as many as all that live may have
	}
	here, given, before, about := 0, 0, 0, map[string]int{}
	for _, a := range asked {
		full := l.AtOnce > 0 && given >= l.AtOnce || l.PerRepository > 0 && about[a.Repository] >= l.PerRepository
		switch {
		case a.Session != session:
		case full && !a.Held:
			return min(askNext+time.Duration(before)*askLater, askAtMost)
		case l.PerReplica > 0 && here >= l.PerReplica && !a.Held:
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

// sweepSlots takes away what no live job stands for: a place whose job does not run any
// more, and one in the queue whose job is gone.
func sweepSlots(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `delete from seats s where not exists (select 1 from river_job j where j.id = s.job_id
		and (j.state = 'running' or not s.held and j.state in ('available', 'scheduled', 'retryable', 'pending')))`)
	return err
}
