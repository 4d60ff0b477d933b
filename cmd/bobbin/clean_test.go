package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
)

func TestCleanSaysWhatGoesAndDoesSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := harness.Database(t)
	db, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = db.Exec(t.Context(),
		`insert into sessions (id, team, channel, thread_ts, phase, updated_at) values
		('old', 'T1', 'C1', '1.0', 'done', now() - '40 days'::interval), ('new', 'T1', 'C1', '2.0', 'done',
			now())`)
	require.NoError(t, err)
	folder := filepath.Join(dir, "sessions", "old")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "big"), make([]byte, 2e6), 0o644))
	at := time.Now().Add(-8 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(folder, at, at))
	config := writeConfig(t, good+"keep: {sessions_days: 30}\n")
	env := map[string]string{secrets.DatabaseURL: url}
	clean := func(more ...string) string {
		code, out, errs := call(t, t.Context(), env,
			append([]string{"clean", "--config", config, "--data-dir", dir}, more...)...)
		require.Equal(t, cli.ExitOK, code, errs)
		return out
	}
	const line = " 1 sessions' words and files and 0 sessions' decisions from the database, " +
		"0 old jobs and 0 old alerts; 1 folders with 2.0 MB from the disk.\n"
	out := clean("--dry-run")
	require.Contains(t, out, "    2.0 MB  "+folder+": not used for longer")
	require.Contains(t, out, "Would remove"+line)
	dry := out
	var listed struct {
		Dry      bool `json:"dry_run"`
		Sessions int
		Folders  []struct{ Path, Why string }
	}
	require.NoError(t, json.Unmarshal([]byte(clean("--dry-run", "--json")), &listed))
	require.True(t, listed.Dry)
	require.Equal(t, 1, listed.Sessions)
	require.Equal(t, folder, listed.Folders[0].Path)
	require.DirExists(t, folder)

	// Without a configuration nothing is removed, since it may keep more than the defaults do.
	code, _, errs := call(t, t.Context(), env, "clean", "--data-dir", dir)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs,
		"name the configuration with --config or BOBBIN_CONFIG, since it says what is kept")
	require.DirExists(t, folder)
	code, out, errs = call(t, t.Context(), env, "clean", "--data-dir", dir, "--dry-run")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, out, "By the defaults, would remove ")

	// While a bot runs, clean works only with --dry-run.
	running, err := storage.LockDataDir(dir)
	require.NoError(t, err)
	code, _, errs = call(t, t.Context(), env, "clean", "--config", config, "--data-dir", dir)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "cleans by itself; stop it first, or look with --dry-run")
	require.Equal(t, dry, clean("--dry-run"))
	running.Release()

	require.Contains(t, clean(), "Removed"+line)
	require.NoDirExists(t, folder)
	require.Contains(t, clean(), "Removed 0 sessions' words")
	code, out, errs = call(t, t.Context(), env, "sessions", "old")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, out, "thread C1/1.0,")
	require.Contains(t, out, "cleaned away on "+time.Now().Format("2006-"))
}
