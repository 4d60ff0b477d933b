package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/bobbinhq/bobbin/migrations"
)

// migrationLock is any number, the same in every replica.
const migrationLock = 0x626f6262

// Migrate brings the database up to date: the queue's tables and ours, under one lock, so
// that replicas may start together. A database that a newer version has changed is left
// alone, since this program would read and write it wrongly.
func (s *Store) Migrate(ctx context.Context) error {
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, migrationLock)

	queue, err := rivermigrate.New(riverpgxv5.New(s.Pool), nil)
	if err != nil {
		return fmt.Errorf("migrate: queue: %w", err)
	}
	db := stdlib.OpenDBFromPool(s.Pool)
	defer db.Close()
	ours, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := refuseNewer(ctx, conn.Conn(), ours, queue); err != nil {
		return err
	}
	if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate: queue: %w", err)
	}
	if _, err := ours.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// refuseNewer is the error of a database that holds migrations which this program does not.
func refuseNewer(ctx context.Context, conn *pgx.Conn, ours *goose.Provider, queue *rivermigrate.Migrator[pgx.Tx]) error {
	known := ours.ListSources()
	steps := queue.AllVersions()
	for _, line := range []struct {
		what, table, newest string
		known               int64
	}{
		{"its schema", "goose_db_version", `select coalesce(max(version_id), 0) from goose_db_version where is_applied`, known[len(known)-1].Version},
		{"its job queue", "river_migration", `select coalesce(max(version), 0) from river_migration`, int64(steps[len(steps)-1].Version)},
	} {
		var there bool
		err := conn.QueryRow(ctx, `select to_regclass($1) is not null`, line.table).Scan(&there)
		var found int64
		if err == nil && there {
			err = conn.QueryRow(ctx, line.newest).Scan(&found)
		}
		if err != nil {
			return fmt.Errorf("migrate: look at the database's version: %w", err)
		}
		if found > line.known {
			return fmt.Errorf("the database was made by a newer version of Bobbin: %s is at %d, and this program knows %d; nothing was changed. Start that version or a later one, or restore the back-up from before the upgrade",
				line.what, found, line.known)
		}
	}
	return nil
}
