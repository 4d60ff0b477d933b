package storage

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

func TestDataDirectoryByDefault(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/data/bobbin":                        {"XDG_DATA_HOME": "/data", "HOME": "/home/ann"},
		"/home/ann/.local/share/bobbin":       {"XDG_DATA_HOME": "relative", "HOME": "/home/ann"},
		filepath.Join(os.TempDir(), "bobbin"): {},
	} {
		if os.Getuid() == 0 {
			want = "/var/lib/bobbin"
		}
		require.Equal(t, want, DefaultDataDir(func(name string) string { return env[name] }), maps.Clone(env))
	}
}

// TestABusyFolderMayGetFree checks that a folder in which another process works is no mistake of the caller: with
// the exit code of one, systemd would not start the bot again.
func TestABusyFolderMayGetFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockDataDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { lock.Release() })
	_, err = LockDataDir(dir)
	require.ErrorIs(t, err, ErrBusy)
	require.ErrorContains(t, err, "another Bobbin works in "+dir+"; each replica needs")
	var mistake cli.UsageError
	require.NotErrorAs(t, err, &mistake)
}
