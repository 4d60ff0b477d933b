package backup_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backup"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

const (
	waitFor = time.Minute // for another connection, on a busy machine
	tick    = 5 * time.Millisecond
)

// content returns the rows of all tables but those of the moment, as text, and where sequences stand.
func content(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(), `select relname::text from pg_class
		where relnamespace = current_schema()::regnamespace and relkind in ('r', 'S') and relname <> all($1)`,
		[]string{"goose_db_version", "goose_db_version_id_seq", "river_migration", "river_queue"})
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	all := map[string][]string{}
	for _, name := range names {
		what := "t::text"
		if strings.HasSuffix(name, "_seq") {
			what = "last_value::text || is_called::text"
		}
		rows, err := s.Pool.Query(t.Context(), `select `+what+` from "`+name+`" t order by 1`)
		require.NoError(t, err)
		all[name], err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
	}
	return all
}

// written makes a database with a row in every table and a backup of it.
func written(t *testing.T) (s *store.Store, dir string) {
	t.Helper()
	s = storetest.Open(t)
	storetest.FillSession(t, s, "s1", "done", 1)
	storetest.FillSession(t, s, "s2", "working", 0)
	_, err := s.Pool.Exec(t.Context(), `update lines set text = E'a\ttab, a\\backslash,\n"é" and \\.'`)
	require.NoError(t, err)
	dir = filepath.Join(t.TempDir(), "deep", "backup")
	m, err := backup.Write(t.Context(), s.DB, dir, backup.Manifest{Program: "0.9"})
	require.NoError(t, err)
	require.Greater(t, m.Rows(), int64(60))
	return s, dir
}

// TestABackupIsPutBack checks that a restored database has the same rows and goes on with the same numbers,
// and that its constraints hold.
func TestABackupIsPutBack(t *testing.T) {
	t.Parallel()
	s, dir := written(t)
	before := content(t, s)
	after := openEmpty(t)
	_, err := backup.Restore(t.Context(), after.DB, dir, false, nil)
	require.NoError(t, err)
	require.Equal(t, before, content(t, after))
	const constraints = `select count(*) from pg_constraint
		where connamespace = current_schema()::regnamespace`
	const triggers = `select count(*) from pg_trigger where tgenabled = 'O'`
	require.Equal(t, storetest.CountRows(t, s, constraints), storetest.CountRows(t, after, constraints))
	require.Equal(t, storetest.CountRows(t, s, triggers), storetest.CountRows(t, after, triggers))
	_, err = after.Pool.Exec(t.Context(),
		`insert into lines (session_id, agent, text) values ('none', 'a', 'x')`)
	require.ErrorContains(t, err, "foreign key")
}

func openEmpty(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), postgrestest.Database(t, nil), storetest.Silent)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// TestABackupIsOfOneMoment checks that rows which come while the tables are read are not in a backup, whole
// or in part.
func TestABackupIsOfOneMoment(t *testing.T) {
	t.Parallel()
	s := storetest.OpenPatient(t)
	storetest.FillSession(t, s, "s1", "done", 1)
	before := content(t, s)
	dir := filepath.Join(t.TempDir(), "backup")
	// Tables are read in alphabetical order: that of sessions comes after this one.
	held, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = held.Exec(t.Context(), `lock table buttons in access exclusive mode`)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := backup.Write(t.Context(), s.DB, dir, backup.Manifest{})
		done <- err
	}()
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s, `select count(*) from pg_locks where not granted
			and relation = 'buttons'::regclass`) > 0
	}, waitFor, tick)
	_, err = s.Pool.Exec(t.Context(),
		`insert into sessions (id, team, channel, thread_ts, phase) values ('s2', 'T1', 'C1', '2.0', 'done');
		insert into lines (session_id, agent, text) values ('s2', 'a', 'x')`)
	require.NoError(t, err)
	require.NoError(t, held.Commit(t.Context()))
	require.NoError(t, <-done)
	after := openEmpty(t)
	_, err = backup.Restore(t.Context(), after.DB, dir, false, nil)
	require.NoError(t, err)
	got := content(t, after)
	for name, rows := range before {
		if !strings.HasSuffix(name, "_seq") { // numbers are given out outside of transactions
			require.Equal(t, rows, got[name], name)
		}
	}
}

// TestADamagedBackupIsRefused changes one byte of each file of a backup, and takes each file away. The
// database stays as it is. Without a change, the same backup is restored.
func TestADamagedBackupIsRefused(t *testing.T) {
	t.Parallel()
	_, dir := written(t)
	after := openEmpty(t)
	refused := func(what string) {
		t.Helper()
		_, err := backup.Restore(t.Context(), after.DB, dir, false, nil)
		var damaged *backup.DamagedError
		require.ErrorAs(t, err, &damaged, what)
		require.NotContains(t, err.Error(), "\n")
		require.Zero(t, storetest.CountRows(t, after, `select count(*) from pg_tables
			where schemaname = current_schema()`), what)
	}
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Greater(t, len(list), 50)
	for _, f := range list {
		name := filepath.Join(dir, f.Name())
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		changed := append([]byte{}, text...)
		changed[len(changed)/2] ^= 1
		require.NoError(t, os.WriteFile(name, changed, 0o600))
		refused("a byte of " + f.Name())
		require.NoError(t, os.Remove(name))
		refused("without " + f.Name())
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	_, err = backup.Restore(t.Context(), after.DB, dir, false, nil)
	require.NoError(t, err)
}

// TestRowsThatDoNotBelongTogetherAreRefused checks that a restore is one transaction: a backup whose
// checksums hold, but in which a session is missing, leaves the database empty.
func TestRowsThatDoNotBelongTogetherAreRefused(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	storetest.FillSession(t, s, "s1", "done", 1)
	_, err := s.Pool.Exec(t.Context(), `alter table lines drop constraint lines_session_id_fkey;
		insert into lines (session_id, agent, text) values ('none', 'a', 'x')`)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "backup")
	_, err = backup.Write(t.Context(), s.DB, dir, backup.Manifest{})
	require.NoError(t, err)
	after := openEmpty(t)
	_, err = backup.Restore(t.Context(), after.DB, dir, false, nil)
	require.ErrorContains(t, err, "the rows do not belong together")
	require.Zero(t, storetest.CountRows(t, after, `select count(*) from sessions`))
}

// TestWhatIsThereIsNotOverwritten checks that a database with rows is refused, that its rows are deleted if
// that is asked for, and not beneath a bot at work.
func TestWhatIsThereIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s, dir := written(t)
	other := storetest.Open(t)
	storetest.FillSession(t, other, "mine", "done", 1)
	mine := content(t, other)
	_, err := backup.Restore(t.Context(), other.DB, dir, false, nil)
	require.ErrorIs(t, err, backup.ErrNotEmpty)
	require.Equal(t, mine, content(t, other))

	_, err = other.Pool.Exec(t.Context(), `insert into replicas (id, seen_at) values ('r', now())`)
	require.NoError(t, err)
	_, err = backup.Restore(t.Context(), other.DB, dir, true, nil)
	require.ErrorIs(t, err, backup.ErrAtWork)
	_, err = other.Pool.Exec(t.Context(), `delete from replicas`)
	require.NoError(t, err)
	_, err = backup.Restore(t.Context(), other.DB, dir, true, nil)
	require.NoError(t, err)
	require.Equal(t, content(t, s), content(t, other))

	_, err = backup.Write(t.Context(), s.DB, dir, backup.Manifest{})
	require.EqualError(t, err, "no backup was written: "+dir+" is not empty")
	var folder *backup.FolderError
	require.ErrorAs(t, err, &folder)
}

// TestABackupThatCannotBeWritten checks that a backup into what is no folder, and one that is ended in its
// middle, leave nothing, and that the former says why in one line.
func TestABackupThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := storetest.OpenPatient(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	for _, name := range []string{file, filepath.Join(file, "backup")} {
		_, err := backup.Write(t.Context(), s.DB, name, backup.Manifest{})
		var folder *backup.FolderError
		require.ErrorAs(t, err, &folder)
		require.EqualError(t, err, "no backup was written: "+name+" cannot be written: not a directory")
	}
	held, err := s.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = held.Exec(t.Context(), `lock table sessions in access exclusive mode`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := backup.Write(ctx, s.DB, filepath.Join(dir, "backup"), backup.Manifest{})
		done <- err
	}()
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, s, `select count(*) from pg_locks where not granted
			and relation = 'sessions'::regclass`) > 0
	}, waitFor, tick)
	begun, err := filepath.Glob(filepath.Join(dir, ".bobbin-backup-*", "*.copy.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, begun)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, held.Rollback(t.Context()))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "but what was there before")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}

// TestBackupsOfOtherVersions checks that a backup of a newer version is refused, and that one of an older
// version is restored and brought up to date.
func TestBackupsOfOtherVersions(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*backup.Manifest){
		func(m *backup.Manifest) { m.Schema = 99999 },
		func(m *backup.Manifest) { m.Queue = 99999 },
		func(m *backup.Manifest) { m.Format = 99 },
	} {
		_, dir := written(t)
		rewrite(t, dir, change)
		_, err := backup.Restore(t.Context(), openEmpty(t).DB, dir, false, nil)
		var newer *backup.NewerError
		require.ErrorAs(t, err, &newer)
		require.ErrorContains(t, err, "0.9")
	}

	now := storetest.Open(t)
	var schema, queue int64
	require.NoError(t, now.Pool.QueryRow(t.Context(), `select (select max(version_id) from goose_db_version),
		(select max(version) from river_migration)`).Scan(&schema, &queue))
	older := openEmpty(t)
	require.NoError(t, older.MigrateTo(t.Context(), 55, queue))
	_, err := older.Pool.Exec(t.Context(), `insert into sessions (id, team, channel, thread_ts, phase, tokens)
		values ('s1', 'T1', 'C1', '1.0', 'done', 700)`)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "backup")
	_, err = backup.Write(t.Context(), older.DB, dir, backup.Manifest{})
	require.NoError(t, err)
	_, err = backup.Restore(t.Context(), now.DB, dir, false, nil)
	require.ErrorContains(t, err, "restore it into a new database")
	after := openEmpty(t)
	_, err = backup.Restore(t.Context(), after.DB, dir, false, nil)
	require.NoError(t, err)
	require.Equal(t, 700, storetest.CountRows(t, after, `select unpriced from sessions`),
		"the later migrations see the rows")
}

// rewrite changes a backup's manifest, with its checksum.
func rewrite(t *testing.T, dir string, change func(*backup.Manifest)) {
	t.Helper()
	var m backup.Manifest
	name := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &m))
	change(&m)
	text, err = json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, text, 0o600))
	sum := sha256.Sum256(text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.sha256"),
		[]byte(hex.EncodeToString(sum[:])+"\n"), 0o600))
}
