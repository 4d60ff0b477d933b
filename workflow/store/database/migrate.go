package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/bobbinhq/bobbin/migrations"
)

// migrationLock is the key of the lock around migrations: any number, but the same in every replica.
const migrationLock = 0x626f6262

// Migrate updates the database: the queue's tables and Bobbin's, under one lock, so
// that replicas may start at the same time. It fails and changes nothing if a newer
// version has changed the database, since this program would read and write it wrongly.
// Each migration is a transaction, so it goes on where a transient error ended it.
func (d *DB) Migrate(ctx context.Context) error {
	return d.Retry(ctx, func() error { return d.migrateOnce(ctx) })
}

func (d *DB) migrateOnce(ctx context.Context) error {
	conn, err := d.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, migrationLock)

	queue, err := rivermigrate.New(riverpgxv5.New(d.Pool), nil)
	if err != nil {
		return fmt.Errorf("migrate: queue: %w", err)
	}
	db := stdlib.OpenDBFromPool(d.Pool)
	defer db.Close()
	ours, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	var newer *NewerError
	if err := d.Newer(ctx); errors.As(err, &newer) {
		return fmt.Errorf("%w; nothing was changed. Start that version or a later one, or restore the back-up from before the upgrade", newer)
	} else if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate: queue: %w", err)
	}
	if _, err := ours.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	d.addTrigrams(ctx)
	return nil
}

// addTrigrams adds the extension pg_trgm, which compares reports by their
// letters. The server may not have it, or this user may not be allowed to add it.
// Then reports are compared by their words alone, and `bobbin doctor` says so.
func (d *DB) addTrigrams(ctx context.Context) {
	if _, err := d.Pool.Exec(ctx, `create extension if not exists pg_trgm`); err != nil {
		d.Log.Debug("the database has no pg_trgm", "err", err)
	}
}

// A NewerError means that a database has migrations that this program does not know.
type NewerError struct {
	What         string // what is newer: its schema, its job queue
	Found, Known int64
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the database was made by a newer version of Bobbin: %s is at %d, and this program knows %d", e.What, e.Found, e.Known)
}

// Newer fails with a NewerError if a newer version has changed the database. It may
// be called at any time, since another replica may be upgraded before this one.
func (d *DB) Newer(ctx context.Context) error {
	ours, queue, err := d.known()
	if err != nil {
		return err
	}
	for _, line := range []struct {
		what, table, newest string
		known               int64
	}{
		{"its schema", "goose_db_version", `select coalesce(max(version_id), 0) from goose_db_version where is_applied`, ours},
		{"its job queue", "river_migration", `select coalesce(max(version), 0) from river_migration`, queue},
	} {
		var there bool
		var found int64
		err := d.Pool.QueryRow(ctx, `select to_regclass($1) is not null`, line.table).Scan(&there)
		if err == nil && there {
			err = d.Pool.QueryRow(ctx, line.newest).Scan(&found)
		}
		if err != nil {
			return fmt.Errorf("look at the database's version: %w", err)
		}
		if found > line.known {
			return &NewerError{What: line.what, Found: found, Known: line.known}
		}
	}
	return nil
}

// known returns the newest migrations that this program knows: Bobbin's and the queue's.
func (d *DB) known() (ours, queue int64, err error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, 0, fmt.Errorf("migration %s: %w", name, err)
		}
		ours = max(ours, n)
	}
	steps, err := rivermigrate.New(riverpgxv5.New(d.Pool), nil)
	if err != nil {
		return 0, 0, fmt.Errorf("job queue: %w", err)
	}
	for _, step := range steps.AllVersions() {
		queue = max(queue, int64(step.Version))
	}
	return ours, queue, nil
}
