package database

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/bobbinhq/bobbin/migrations"
)

// A NewerError means that a database has migrations that this program does not know.
type NewerError struct {
	What         string // what is newer: its schema, its job queue
	Found, Known int64
}

func (n *NewerError) Error() string {
	return fmt.Sprintf("the database was made by a newer version of Bobbin: %s is at %d, "+
		"and this program knows %d", n.What, n.Found, n.Known)
}

// Newer fails with a NewerError if a newer version has changed the database. It may
// be called at any time, since another replica may be upgraded before this one.
func (d *DB) Newer(ctx context.Context) error {
	known, found, err := d.versions(ctx)
	if err != nil {
		return err
	}
	return found.newerThan(known)
}

// A version is the numbers of the migrations that a database has, or a program knows, in ascending order.
type version struct {
	schema []int64 // Bobbin's
	queue  []int64 // those of the job queue
}

func (v version) equal(other version) bool {
	return slices.Equal(v.schema, other.schema) && slices.Equal(v.queue, other.queue)
}

// newerThan returns a NewerError, or nil if v has no later migration than known.
func (v version) newerThan(known version) error {
	switch {
	case newest(v.schema) > newest(known.schema):
		return &NewerError{What: "its schema", Found: newest(v.schema), Known: newest(known.schema)}
	case newest(v.queue) > newest(known.queue):
		return &NewerError{What: "its job queue", Found: newest(v.queue), Known: newest(known.queue)}
	}
	return nil
}

// newest returns the last of the numbers, or 0 if there is none.
func newest(numbers []int64) int64 {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

// versions returns the version that this program knows and the one found in the database.
func (d *DB) versions(ctx context.Context) (known, found version, err error) {
	if known, err = d.known(); err != nil {
		return known, found, err
	}
	found.schema, err = d.applied(ctx, "goose_db_version",
		`select distinct version_id from goose_db_version where is_applied and version_id > 0 order by 1`)
	if err == nil {
		found.queue, err = d.applied(ctx, "river_migration", `select version from river_migration order by 1`)
	}
	if err != nil {
		return known, found, fmt.Errorf("look at the database's version: %w", err)
	}
	return known, found, nil
}

// applied returns the numbers that query finds, or none if the database does not have the table yet.
func (d *DB) applied(ctx context.Context, table, query string) ([]int64, error) {
	var there bool
	if err := d.Pool.QueryRow(ctx, `select to_regclass($1) is not null`, table).Scan(&there); err != nil ||
		!there {
		return nil, err
	}
	rows, err := d.Pool.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// known returns the version that this program knows.
func (d *DB) known() (version, error) {
	var v version
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return v, err
	}
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return v, fmt.Errorf("migration %s: %w", name, err)
		}
		v.schema = append(v.schema, n)
	}
	steps, err := rivermigrate.New(riverpgxv5.New(d.Pool), nil)
	if err != nil {
		return v, fmt.Errorf("job queue: %w", err)
	}
	for _, step := range steps.AllVersions() {
		v.queue = append(v.queue, int64(step.Version))
	}
	slices.Sort(v.schema)
	slices.Sort(v.queue)
	return v, nil
}
