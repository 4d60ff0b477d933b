package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Seats are how many sessions may be at work at once, over all replicas; zero: as many as
// there are workers.
type Seats struct {
	AtOnce        int // in all
	PerRepository int // about one repository
}

// seatLock is any number, the same in every replica, and no other lock's.
const seatLock = 0x626f6263

// Sit asks for a place at work for the session, about a repository. Whoever has to wait
// keeps its turn: those who asked first sit first. first says that it asked for the first
// time. A place is given back by the end of the job.
func (t *Turn) Sit(ctx context.Context, repository string, limits Seats) (sits, first bool, err error) {
	if t.job == 0 || limits == (Seats{}) {
		return true, false, nil
	}
	err = t.store.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, seatLock); err != nil {
			return err
		}
		if err := sweepSeats(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `insert into seats (session_id, repository, job_id) values ($1, $2, $3)
			on conflict (session_id) do update set job_id = excluded.job_id, repository = excluded.repository returning xmax = 0`,
			t.id, repository, t.job).Scan(&first); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select session_id, repository, held from seats order by held desc, since, session_id`)
		if err != nil {
			return err
		}
		asked, err := pgx.CollectRows(rows, pgx.RowToStructByPos[seat])
		if err != nil {
			return err
		}
		if sits = limits.seated(asked)[t.id]; !sits {
			return nil
		}
		_, err = tx.Exec(ctx, `update seats set held = true where session_id = $1`, t.id)
		return err
	})
	if err != nil {
		return false, false, fmt.Errorf("a place at work for %s: %w", t.id, err)
	}
	//crash:seat_taken
	return sits, first, nil
}

type seat struct {
	Session, Repository string
	Held                bool
}

// seated hands the places out in order: to those who have one, then to those who wait.
func (l Seats) seated(asked []seat) map[string]bool {
	sits, about := map[string]bool{}, map[string]int{}
	for _, a := range asked {
		full := l.AtOnce > 0 && len(sits) >= l.AtOnce || l.PerRepository > 0 && about[a.Repository] >= l.PerRepository
		if a.Held || !full {
			sits[a.Session] = true
			about[a.Repository]++
		}
	}
	return sits
}

// sweepSeats takes away what no live job stands for: a place whose job does not run any
// more, and one in the queue whose job is gone.
func sweepSeats(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `delete from seats s where not exists (select 1 from river_job j where j.id = s.job_id
		and (j.state = 'running' or not s.held and j.state in ('available', 'scheduled', 'retryable', 'pending')))`)
	return err
}

// stand gives the session's place back.
func (s *Store) stand(ctx context.Context, tx pgx.Tx, session string) error {
	_, err := tx.Exec(ctx, `delete from seats where session_id = $1`, session)
	return err
}
