package queue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ConcurrencyLimits are how many sessions may be at work at once, over all replicas; zero: as many as
// there are workers.
type ConcurrencyLimits struct {
	AtOnce        int // in all
	PerRepository int // about one repository
}

// slotLock is any number, the same in every replica, and no other lock's.
const slotLock = 0x626f6263

// AcquireSlot asks for a slot for the session, about a repository, under the job that ctx
// runs under. Those who asked first get theirs first; first reports whether this was the
// session's first asking. The slot is released with the end of the job; work outside of a
// job needs none.
func (q *Queue) AcquireSlot(ctx context.Context, session, repository string, limits ConcurrencyLimits) (acquired, first bool, err error) {
	job := jobOf(ctx)
	if job == nil || limits == (ConcurrencyLimits{}) {
		return true, false, nil
	}
	err = q.db.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, slotLock); err != nil {
			return err
		}
		if err := sweepSlots(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `insert into seats (session_id, repository, job_id) values ($1, $2, $3)
			on conflict (session_id) do update set job_id = excluded.job_id, repository = excluded.repository returning xmax = 0`,
			session, repository, job.ID).Scan(&first); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select session_id, repository, held from seats order by held desc, since, session_id`)
		if err != nil {
			return err
		}
		asked, err := pgx.CollectRows(rows, pgx.RowToStructByPos[slot])
		if err != nil {
			return err
		}
		if acquired = limits.assign(asked)[session]; !acquired {
			return nil
		}
		_, err = tx.Exec(ctx, `update seats set held = true where session_id = $1`, session)
		return err
	})
	if err != nil {
		return false, false, fmt.Errorf("a place at work for %s: %w", session, err)
	}
	//crash:seat_taken
	return acquired, first, nil
}

type slot struct {
	Session, Repository string
	Held                bool
}

// assign hands the places out in order: to those who have one, then to those who wait.
func (l ConcurrencyLimits) assign(asked []slot) map[string]bool {
	acquired, about := map[string]bool{}, map[string]int{}
	for _, a := range asked {
		full := l.AtOnce > 0 && len(acquired) >= l.AtOnce || l.PerRepository > 0 && about[a.Repository] >= l.PerRepository
		if a.Held || !full {
			acquired[a.Session] = true
			about[a.Repository]++
		}
	}
	return acquired
}

// sweepSlots takes away what no live job stands for: a place whose job does not run any
// more, and one in the queue whose job is gone.
func sweepSlots(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `delete from seats s where not exists (select 1 from river_job j where j.id = s.job_id
		and (j.state = 'running' or not s.held and j.state in ('available', 'scheduled', 'retryable', 'pending')))`)
	return err
}

// releaseSlot gives the session's slot back.
func releaseSlot(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := tx.Exec(ctx, `delete from seats where session_id = $1`, session)
	return err
}
