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

// TestABusyFolderMayGetFree checks that a folder in which another process works is no mistake of the caller:
// with the exit code of one, systemd would not start the bot again.
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

// TestTheReplicasNameIsItsOwn checks that a replica keeps its name over restarts, and that no other has the
// same: not one whose token was lost, and not one in a copy of the folder.
func TestTheReplicasNameIsItsOwn(t *testing.T) {
	t.Parallel()
	name := func(dir string) string {
		name, err := ReplicaName(dir)
		require.NoError(t, err)
		return name
	}
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	own := name(dir)
	require.NoError(t, os.Symlink(dir, link))
	require.Equal(t, []string{own, own}, []string{name(dir), name(link)})

	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	require.NotEqual(t, own, name(copied))

	for _, lost := range []string{"", "\n", "\x00\x00\x00"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "replica"), []byte(lost), 0o600))
		fresh := name(dir)
		require.Equal(t, fresh, name(dir), "it is kept from then on")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "replica"), []byte(lost), 0o600))
		require.NotEqual(t, fresh, name(dir), "the token is part of the name: %q", lost)
	}
}
