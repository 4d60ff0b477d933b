package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// An Examination is the state of a database, before a bot runs on it or while one does.
type Examination struct {
	Server  string // Postgres' version
	Number  int    // the version as a number: 150018
	Bytes   int64  // size of this database
	Account string // database user of this program

	Schema

	MayCreate bool // this user can create tables
	MayWrite  bool // this user can write rows; not set if there are no tables yet
	Trigrams  bool // pg_trgm is installed, so reports are compared by their letters, too
	ReadOnly  bool // a standby, or a database that is set to be read only

	Ahead time.Duration // how far this machine's clock is ahead of the database's

	Replicas     []Beat        // live replicas
	SinceMessage time.Duration // since the last message came in from Slack; negative: none ever did
	Pressed      bool          // a button was pressed at some time
}

// Schema is the version of the database's tables, and the newest one that this program knows.
type Schema struct {
	Found, Known int64       // newest migration of Bobbin: in the database (0: none), and in this program
	Newer        *NewerError // set if a newer version has changed the database
	Waiting      bool        // the queue's own tables are missing or behind
}

// A Beat is a replica and the age of its last heartbeat.
type Beat struct {
	ID  string
	Ago time.Duration
}

// Examine reads the state of the database and changes nothing.
func (d *DB) Examine(ctx context.Context) (e Examination, err error) {
	began := time.Now()
	var now time.Time
	err = d.Pool.QueryRow(
		ctx,
		`select current_setting('server_version'), current_setting('server_version_num')::int,
			pg_database_size(current_database()),
			current_user, coalesce(has_schema_privilege(current_schema(), 'create'), false),
			pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool, clock_timestamp()`,
	).
		Scan(&e.Server, &e.Number, &e.Bytes, &e.Account, &e.MayCreate, &e.ReadOnly, &now)
	if err != nil {
		return e, fmt.Errorf("look at the database: %w", err)
	}
	e.Ahead = time.Since(now) - time.Since(began)/2
	if err := d.examineSchema(ctx, &e); err != nil || e.Found == 0 {
		return e, err
	}
	return e, d.examineWork(ctx, &e)
}

func (d *DB) examineSchema(ctx context.Context, e *Examination) error {
	known, found, err := d.versions(ctx)
	if err != nil {
		return err
	}
	errors.As(found.newerThan(known), &e.Newer)
	e.Known = newest(known.schema)
	e.Found = newest(found.schema)
	e.Waiting = newest(found.queue) < newest(known.queue)
	return nil
}

// examineWork reads tables that the schema of every version has.
func (d *DB) examineWork(ctx context.Context, e *Examination) error {
	var sinceMessage float64
	err := d.Pool.QueryRow(
		ctx,
		`select (select bool_and(has_table_privilege(t, p))
			from unnest(array['sessions', 'inbox', 'river_job']) t, unnest(array['select', 'insert', 'update',
			'delete']) p),
			coalesce((select extract(epoch from now() - max(at)) from inbox
				where kind in ('mention', 'reply')), -1)::float8,
			exists (select 1 from inbox where kind = 'action' and user_id <> ''), exists (select 1
				from pg_extension where extname = 'pg_trgm')`,
	).
		Scan(&e.MayWrite, &sinceMessage, &e.Pressed, &e.Trigrams)
	if err != nil {
		return fmt.Errorf("look at the database's tables: %w", err)
	}
	e.SinceMessage = time.Duration(sinceMessage * float64(time.Second))
	rows, err := d.Pool.Query(ctx,
		`select id, extract(epoch from now() - seen_at)::float8 from replicas
			where seen_at > now() - interval '8 seconds' order by id`)
	if err != nil {
		return fmt.Errorf("look at the replicas: %w", err)
	}
	e.Replicas, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Beat, err error) {
		var ago float64
		err = row.Scan(&b.ID, &ago)
		b.Ago = time.Duration(ago * float64(time.Second))
		return b, err
	})
	if err != nil {
		return fmt.Errorf("look at the replicas: %w", err)
	}
	return nil
}
