package backup

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// ofTheMoment holds the tables that are not backed up: the versions of the schema, which the manifest has,
// and what belongs to running processes.
var ofTheMoment = []string{
	"goose_db_version", "river_migration", "replicas", "river_leader", "river_client", "river_client_queue",
	"river_queue",
}

// A FolderError means that no backup could be written into a folder. What was there is unchanged, and nothing
// of the backup is left.
type FolderError struct {
	Dir, Why string
	Err      error // nil: it is Why alone
}

func (f *FolderError) Error() string {
	return fmt.Sprintf("no backup was written: %s %s", f.Dir, f.Why)
}

// Unwrap returns what the system answered.
func (f *FolderError) Unwrap() error { return f.Err }

// inFolder returns a FolderError if the system refused to write into the folder, and any other error
// unchanged.
func inFolder(dir string, err error) error {
	var errno syscall.Errno
	var path *fs.PathError
	var link *os.LinkError
	if !errors.As(err, &path) && !errors.As(err, &link) || !errors.As(err, &errno) {
		return err
	}
	return &FolderError{Dir: dir, Why: "cannot be written: " + errno.Error(), Err: errno}
}

// Write backs the database up into dir, which must not exist or be empty. m says who makes it, and what is
// named in it. If dir cannot be written, the error is a *FolderError.
func Write(ctx context.Context, db *database.DB, dir string, m Manifest) (Manifest, error) {
	m, err := writeBeside(ctx, db, dir, m)
	return m, inFolder(dir, err)
}

// writeBeside writes the backup into a folder beside dir, which takes its place when it is whole.
func writeBeside(ctx context.Context, db *database.DB, dir string, m Manifest) (Manifest, error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return m, &FolderError{Dir: dir, Why: "is not empty"}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return m, err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".bobbin-backup-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(part)
	if err := write(ctx, db, part, &m); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	return m, os.Rename(part, dir)
}

func write(ctx context.Context, db *database.DB, dir string, m *Manifest) (err error) {
	m.Format = format
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, db.Pool, snapshot, func(tx pgx.Tx) error {
		// A slow disk must not end the transaction.
		if _, err := tx.Exec(ctx, `set local idle_in_transaction_session_timeout = 0`); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `select now(),
			(select max(version_id) from goose_db_version where is_applied),
			(select max(version) from river_migration)`).Scan(&m.Made, &m.Schema, &m.Queue)
		if err != nil {
			return err
		}
		m.Made = m.Made.UTC()
		if m.Tables, err = tablesOf(ctx, tx); err != nil {
			return err
		}
		for i := range m.Tables {
			if err := copyOut(ctx, tx, dir, &m.Tables[i]); err != nil {
				return fmt.Errorf("table %s: %w", m.Tables[i].Name, err)
			}
		}
		// Numbers are given out outside of transactions: those of now are at least those of the rows.
		m.Sequences, err = sequencesOf(ctx, tx, m.Tables)
		return err
	})
	if err != nil {
		return err
	}
	return m.write(dir)
}

// tablesOf returns the tables that a backup has, in alphabetical order, with their columns that are not
// computed.
func tablesOf(ctx context.Context, tx pgx.Tx) ([]Table, error) {
	rows, err := tx.Query(ctx,
		`select c.relname::text, array_agg(a.attname::text order by a.attnum)
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
			and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
		group by c.relname order by c.relname`, ofTheMoment)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Table, err error) {
		err = row.Scan(&t.Name, &t.Columns)
		return t, err
	})
}

// sequencesOf returns where the numbers of the tables' columns go on.
func sequencesOf(ctx context.Context, tx pgx.Tx, tables []Table) (list []Sequence, err error) {
	for _, t := range tables {
		for _, column := range t.Columns {
			var sequence *string
			err := tx.QueryRow(ctx, `select pg_get_serial_sequence(quote_ident($1), $2)`, t.Name,
				column).Scan(&sequence)
			if err != nil {
				return nil, err
			}
			if sequence == nil {
				continue
			}
			s := Sequence{Table: t.Name, Column: column}
			if err := tx.QueryRow(ctx, `select last_value, is_called from `+*sequence).Scan(&s.Last,
				&s.Called); err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// copyOut writes the rows of a table into its file.
func copyOut(ctx context.Context, tx pgx.Tx, dir string, t *Table) error {
	f, err := os.OpenFile(filepath.Join(dir, t.file()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	written := &counter{to: io.MultiWriter(f, sum)}
	zip := gzip.NewWriter(written)
	tag, err := tx.Conn().PgConn().CopyTo(ctx, zip,
		fmt.Sprintf(`copy "%s" (%s) to stdout`, t.Name, t.columns()))
	if err := errors.Join(err, zip.Close(), f.Sync(), f.Close()); err != nil {
		return err
	}
	t.Rows = tag.RowsAffected()
	t.Bytes = written.n
	t.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// A counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}
