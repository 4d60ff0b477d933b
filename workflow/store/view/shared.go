package view

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// Shared returns a function that reads the metrics of all replicas. It
// counts the sessions that are not cleaned away, and the jobs that are due.
func Shared(db *database.DB) func(context.Context) (metrics.Shared, error) {
	return func(ctx context.Context) (metrics.Shared, error) {
		s := metrics.Shared{Sessions: map[string]int{}, Waits: map[string]time.Duration{}, Due: map[string]int{}}
		err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
			return readShared(ctx, tx, &s)
		})
		if err != nil {
			return metrics.Shared{}, fmt.Errorf("metrics: %w", err)
		}
		return s, nil
	}
}

// countUnposted counts the outbox rows that are not in Slack yet.
const countUnposted = `select count(*) from outbox where posted_at is null and refused is null`

// waits counts the jobs of each kind that are due, and says how long the first of them has waited. A session that
// waits for a place at work has waited since it first asked: each time that it asks again, its job is due anew.
const waits = `select kind, count(*) filter (where due), extract(epoch from greatest(now() - min(since), '0'))::float8 from (
		select kind, scheduled_at as since, true as due from river_job where state = 'available' and scheduled_at <= now()
		union all
		select j.kind, s.since, false from seats s join river_job j on j.id = s.job_id where not s.held and j.finalized_at is null
	) w group by kind`

func readShared(ctx context.Context, tx pgx.Tx, s *metrics.Shared) error {
	var name string
	var count int
	var wait float64
	rows, err := tx.Query(ctx, `select phase, count(*) from sessions where cleared_at is null group by phase`)
	if err != nil {
		return err
	}
	if _, err := pgx.ForEachRow(rows, []any{&name, &count}, func() error { s.Sessions[name] = count; return nil }); err != nil {
		return err
	}
	rows, err = tx.Query(ctx, waits)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&name, &count, &wait}, func() error {
		s.Due[name], s.Waits[name] = count, time.Duration(wait*float64(time.Second))
		return nil
	})
	if err != nil {
		return err
	}
	return tx.QueryRow(ctx, countUnposted).Scan(&s.Unposted)
}
