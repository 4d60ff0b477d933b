package store

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// A Replica is one process that works the queue, known to the others by its heartbeat.
// The queue itself notices a dead worker only after an hour, so whoever is alive takes
// the jobs of the dead: the old row is discarded and a new one inserted in one
// transaction, so that a worker which was only frozen cannot complete somebody else's run.
type Replica struct {
	Store *Store
	ID    string        // of the river client; unique for each process
	Beat  time.Duration // default 3 s
	Dead  time.Duration // without a beat for this long a replica is dead; default 10 s
	Log   *slog.Logger
}

// Run beats, and takes over from the dead, until ctx ends. All times are the database's.
func (r *Replica) Run(ctx context.Context) error {
	beat, dead := r.Beat, r.Dead
	if beat == 0 {
		beat = 3 * time.Second
	}
	if dead == 0 {
		dead = 10 * time.Second
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	defer r.leave(context.WithoutCancel(ctx))
	for {
		if err := r.whole(ctx, dead); err != nil && ctx.Err() == nil {
			r.Log.Warn("heartbeat", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// whole is a beat that ctx does not cut off in the middle: one that the server carried
// out later would come after leave.
func (r *Replica) whole(ctx context.Context, dead time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dead)
	defer cancel()
	return r.beat(ctx, dead)
}

func (r *Replica) beat(ctx context.Context, dead time.Duration) error {
	_, err := r.Store.Pool.Exec(ctx, `insert into replicas (id, seen_at) values ($1, now())
		on conflict (id) do update set seen_at = now()`, r.ID)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, r.Store.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from replicas where seen_at < now() - $1::interval * 60`, dead); err != nil {
			return err
		}
		n := 0
		for kind, again := range map[string]func(session string) river.JobArgs{
			TurnJob{}.Kind(): func(s string) river.JobArgs { return TurnJob{Session: s} },
			PostJob{}.Kind(): func(s string) river.JobArgs { return PostJob{Session: s} },
		} {
			sessions, err := orphans(ctx, tx, kind, dead)
			if err != nil {
				return err
			}
			for _, s := range sessions {
				if _, err := r.Store.jobs.InsertTx(ctx, tx, again(s), nil); err != nil {
					return err
				}
			}
			n += len(sessions)
		}
		if n > 0 {
			r.Log.Warn("took over the jobs of a replica that died", "jobs", n)
		}
		return nil
	})
}

// orphans discards the running jobs of dead replicas and says whose sessions they were.
func orphans(ctx context.Context, tx pgx.Tx, kind string, dead time.Duration) ([]string, error) {
	rows, err := tx.Query(ctx, `update river_job set state = 'discarded', finalized_at = now(),
			errors = array_append(errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error', 'worker lost', 'trace', ''))
		where id in (select j.id from river_job j where j.state = 'running' and j.kind = $1 and j.attempted_at < now() - $2::interval
			and not exists (select 1 from replicas p where p.id = j.attempted_by[array_upper(j.attempted_by, 1)] and p.seen_at > now() - $2::interval)
			for update skip locked)
		returning args->>'session'`, kind, dead)
	if err != nil {
		return nil, fmt.Errorf("orphans: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// leave makes a clean end visible at once.
func (r *Replica) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r.Store.Pool.Exec(ctx, `delete from replicas where id = $1`, r.ID)
}
