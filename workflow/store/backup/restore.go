package backup

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// The refusals of Restore.
var (
	ErrNotEmpty = errors.New("the database is not empty")
	ErrAtWork   = errors.New("a bot is at work in the database")
)

// aliveFor is how long after its last heartbeat a replica counts as alive here.
const aliveFor = "15 seconds"

// Restore puts a backup into the database. It refuses a database that holds anything, unless replace is set:
// then it deletes that, but not beneath a bot that is at work. It may fill an empty database while a bot runs
// on it. The rows come in one transaction. The version of the schema afterwards is that of this program.
// filling is called, unless it is nil, when nothing was refused and the rows come.
func Restore(
	ctx context.Context, db *database.DB, dir string, replace bool, filling func(Manifest),
) (Manifest, error) {
	m, err := Read(dir)
	if err != nil {
		return m, err
	}
	err = db.MigrateTo(ctx, m.Schema, m.Queue)
	if newer := (*database.NewerError)(nil); errors.As(err, &newer) {
		err = &NewerError{Dir: dir, Program: m.Program}
	}
	if err != nil {
		return m, err
	}
	err = db.Transact(ctx, func(tx pgx.Tx) error {
		r := restoring{tx: tx, dir: dir, manifest: m, replace: replace, filling: filling}
		return r.run(ctx)
	})
	if err != nil {
		return m, err
	}
	return m, db.Migrate(ctx)
}

// A restoring is one transaction that fills a database.
type restoring struct {
	tx       pgx.Tx
	dir      string
	manifest Manifest
	replace  bool
	filling  func(Manifest)
}

func (r restoring) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	if r.filling != nil {
		r.filling(r.manifest)
	}
	keys, err := r.dropForeignKeys(ctx)
	if err != nil {
		return err
	}
	for _, t := range r.manifest.Tables {
		if err := r.fill(ctx, t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	for _, add := range keys {
		if _, err := r.tx.Exec(ctx, add); err != nil {
			return fmt.Errorf("the rows do not belong together: %w", err)
		}
	}
	return r.setSequences(ctx)
}

// begin locks all tables, and empties them if it may.
func (r restoring) begin(ctx context.Context) error {
	if _, err := r.tx.Exec(ctx, `set local idle_in_transaction_session_timeout = 0`); err != nil {
		return err
	}
	here, err := tablesOf(ctx, r.tx)
	if err != nil {
		return err
	}
	if err := r.sameTables(here); err != nil {
		return err
	}
	all := names(here)
	if _, err := r.tx.Exec(ctx, `lock table `+all+` in access exclusive mode`); err != nil {
		return err
	}
	full, err := r.holdsRows(ctx, here)
	if err != nil {
		return err
	}
	if full && !r.replace {
		return ErrNotEmpty
	}
	if full {
		var alive bool
		err := r.tx.QueryRow(ctx, `select exists (select 1 from replicas
			where seen_at > now() - interval '`+aliveFor+`')`).Scan(&alive)
		if err != nil {
			return err
		}
		if alive {
			return ErrAtWork
		}
	}
	// The jobs of an idle bot are not lost by this: it queues them again.
	_, err = r.tx.Exec(ctx, `truncate `+all)
	return err
}

// sameTables checks that the database has the tables and the columns of the backup.
func (r restoring) sameTables(here []Table) error {
	has := map[string]string{}
	for _, t := range here {
		has[t.Name] = t.columns()
	}
	for _, t := range r.manifest.Tables {
		columns := has[t.Name]
		for _, c := range t.Columns {
			if !strings.Contains(columns, `"`+c+`"`) {
				return fmt.Errorf("the database has no column %s.%s: it is not of the backup's version",
					t.Name, c)
			}
		}
	}
	return nil
}

func names(tables []Table) string {
	var list []string
	for _, t := range tables {
		list = append(list, `"`+t.Name+`"`)
	}
	return strings.Join(list, ", ")
}

// holdsRows reports whether a table has a row. Jobs do not count: an idle bot has some of its own.
func (r restoring) holdsRows(ctx context.Context, tables []Table) (full bool, err error) {
	for _, t := range tables {
		if t.Name == "river_job" {
			continue
		}
		err := r.tx.QueryRow(ctx, `select exists (select 1 from "`+t.Name+`")`).Scan(&full)
		if full || err != nil {
			return full, err
		}
	}
	return false, nil
}

// dropForeignKeys drops the foreign keys and disables the triggers, so that tables can be filled in any order
// and rows stay as they were written. It returns the statements that undo this.
func (r restoring) dropForeignKeys(ctx context.Context) (add []string, err error) {
	rows, err := r.tx.Query(ctx,
		`select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname),
			format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname,
				pg_get_constraintdef(c.oid))
		from pg_constraint c where c.contype = 'f' and c.connamespace = current_schema()::regnamespace
		union all
		select distinct format('alter table %s disable trigger user', t.tgrelid::regclass),
			format('alter table %s enable trigger user', t.tgrelid::regclass)
		from pg_trigger t join pg_class c on c.oid = t.tgrelid
		where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, err
	}
	type change struct{ Undo, Redo string }
	changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[change])
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if _, err := r.tx.Exec(ctx, c.Undo); err != nil {
			return nil, err
		}
		add = append(add, c.Redo)
	}
	return add, nil
}

// fill copies the rows of a table from its file.
func (r restoring) fill(ctx context.Context, t Table) error {
	f, err := os.Open(filepath.Join(r.dir, t.file()))
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return &DamagedError{Dir: r.dir, Why: t.file() + ": " + err.Error()}
	}
	tag, err := r.tx.Conn().PgConn().CopyFrom(ctx, zip,
		fmt.Sprintf(`copy "%s" (%s) from stdin`, t.Name, t.columns()))
	if err != nil {
		return err
	}
	if tag.RowsAffected() != t.Rows {
		return &DamagedError{Dir: r.dir, Why: fmt.Sprintf("%s has %d rows in place of %d", t.file(),
			tag.RowsAffected(), t.Rows)}
	}
	return nil
}

// setSequences lets the numbers of columns go on where they were.
func (r restoring) setSequences(ctx context.Context) error {
	for _, s := range r.manifest.Sequences {
		_, err := r.tx.Exec(ctx, `select setval(pg_get_serial_sequence(quote_ident($1), $2), $3, $4)`,
			s.Table, s.Column, s.Last, s.Called)
		if err != nil {
			return fmt.Errorf("the numbers of %s.%s: %w", s.Table, s.Column, err)
		}
	}
	return nil
}
