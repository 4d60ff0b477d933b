package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

// Look creates no files or folders.
func TestLookOnlyLooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home", "postgres")
	s, err := Look(t.Context(), Config{Dir: home})
	require.NoError(t, err)
	require.NotEmpty(t, s.Dir)
	require.Equal(t, filepath.Join(home, "data"), s.Data)
	require.NotEqual(t, "root", s.Account)
	require.Zero(t, s.Made)
	nothing := Config{Dir: home, find: &programs.Finder{}}
	_, err = Look(t.Context(), nothing)
	var none *Unavailable
	require.ErrorAs(t, err, &none)
	require.NoDirExists(t, filepath.Dir(home), "it only looks")

	require.NoError(t, os.MkdirAll(filepath.Join(home, "data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "data", "PG_VERSION"), []byte("9\n"), 0o644))
	s, err = Look(t.Context(), nothing)
	require.ErrorContains(t, err, "was made by PostgreSQL 9")
	require.Equal(t, 9, s.Made)
	_, err = Start(t.Context(), nothing)
	require.ErrorContains(t, err, "was made by PostgreSQL 9", "and so says Start")
}

func TestLookBesideARunningServer(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, Config{Dir: dir})
	s, err := Look(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, os.Getpid(), s.Owner)
	require.NotEmpty(t, s.Version)
	require.NotZero(t, s.Made)
	require.Equal(t, "1", ask(t, c.URL(), "select '1'"), "it runs on")
	c.Stop()
	s, err = Look(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	require.Zero(t, s.Owner)
}
