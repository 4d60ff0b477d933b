package database

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

// migrationLock is the key of the lock around migrations: any number, but the same in every replica.
const migrationLock = 0x626f6262

// Migrate updates the database: the queue's tables and Bobbin's, under one lock, so
// that replicas may start at the same time. It fails and changes nothing if a newer
// version has changed the database, since this program would read and write it wrongly.
// Each migration is a transaction, so it goes on where a transient error ended it.
// A database that is up to date is not locked.
func (d *DB) Migrate(ctx context.Context) error {
	err := d.Retry(ctx, func() error {
		if upToDate, err := d.isUpToDate(ctx); upToDate || err != nil {
			return err
		}
		return d.migrateLocked(ctx)
	})
	if err == nil {
		d.addTrigrams(ctx)
	}
	return err
}

// MigrateTo makes the tables of a database that has none, as the migrations up to these numbers make them. A
// database that has tables has to be of that version: what later migrations do to rows cannot be done
// beforehand. It fails with a NewerError if this program does not know the version.
func (d *DB) MigrateTo(ctx context.Context, schema, queue int64) error {
	known, found, err := d.versions(ctx)
	if err != nil {
		return err
	}
	asked := version{schema: []int64{schema}, queue: []int64{queue}}
	if err := asked.newerThan(known); err != nil {
		return err
	}
	switch {
	case newest(found.schema) == schema && newest(found.queue) == queue:
		return nil
	case len(found.schema) > 0 || len(found.queue) > 0:
		return fmt.Errorf("the backup has schema %d and the database %d: restore it into a new database, "+
			"which is brought up to date afterwards", schema, newest(found.schema))
	}
	return d.locked(ctx, func(ours *goose.Provider, jobs *rivermigrate.Migrator[pgx.Tx]) error {
		opts := &rivermigrate.MigrateOpts{TargetVersion: int(queue)}
		if _, err := jobs.Migrate(ctx, rivermigrate.DirectionUp, opts); err != nil {
			return fmt.Errorf("migrate: queue: %w", err)
		}
		if _, err := ours.UpTo(ctx, schema); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return nil
	})
}

func (d *DB) migrateLocked(ctx context.Context) error {
	return d.locked(ctx, func(ours *goose.Provider, jobs *rivermigrate.Migrator[pgx.Tx]) error {
		if upToDate, err := d.isUpToDate(ctx); upToDate || err != nil {
			// the holder of the lock before us has changed it
			return err
		}
		if _, err := jobs.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate: queue: %w", err)
		}
		if _, err := ours.Up(ctx); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return nil
	})
}

// locked runs do under the lock around migrations, with Bobbin's migrations and those of the job queue.
func (d *DB) locked(
	ctx context.Context, do func(ours *goose.Provider, jobs *rivermigrate.Migrator[pgx.Tx]) error,
) error {
	conn, err := d.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	defer func() {
		after := context.WithoutCancel(ctx)
		if _, err := conn.Exec(after, `select pg_advisory_unlock($1)`, migrationLock); err != nil {
			d.Log.Warn("migrate: the lock ends with its connection", "err", err)
			_ = conn.Conn().Close(after) // the pool must not keep it: other replicas would wait for the lock
		}
	}()
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
	return do(ours, queue)
}

// addTrigrams adds the extension pg_trgm, which compares reports by their
// letters. The server may not have it, or this user may not be allowed to add it.
// Then reports are compared by their words alone, and `bobbin doctor` says so.
// Of replicas that add it at once, all but one fail, which changes nothing.
func (d *DB) addTrigrams(ctx context.Context) {
	if _, err := d.Pool.Exec(ctx, `create extension if not exists pg_trgm`); err != nil {
		d.Log.Debug("the database has no pg_trgm", "err", err)
	}
}

// isUpToDate reports whether there is nothing to migrate. It fails if a newer
// version has changed the database.
func (d *DB) isUpToDate(ctx context.Context) (bool, error) {
	known, found, err := d.versions(ctx)
	if err != nil {
		return false, fmt.Errorf("migrate: %w", err)
	}
	if err := found.newerThan(known); err != nil {
		return false, fmt.Errorf("%w; nothing was changed. Start that version or a later one, "+
			"or restore the back-up from before the upgrade", err)
	}
	return found.equal(known), nil
}
