package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// nested makes a folder with n nested folders, so deep that no path reaches the innermost one.
func nested(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "top")
	require.NoError(t, os.Mkdir(dir, 0o755))
	at, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	for range n {
		require.NoError(t, unix.Mkdirat(at, "d", 0o755))
		next, err := unix.Openat(at, "d", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		require.NoError(t, err)
		unix.Close(at)
		at = next
	}
	fd, err := unix.Openat(at, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
	require.NoError(t, err)
	unix.Close(fd)
	require.NoError(t, unix.Fchmod(at, 0o500))
	unix.Close(at)
	return dir
}

// A removal of a very deep folder does not run out of file descriptors.
func TestAFolderOfAnyDepthIsRemoved(t *testing.T) {
	t.Parallel()
	dir := nested(t, 1200)
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("stays"), 0o644))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, "link")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "closed"), 0))
	require.NoError(t, RemoveFolder(dir))
	require.NoDirExists(t, dir)
	require.FileExists(t, outside)
	require.NoError(t, RemoveFolder(dir), "it is gone already")
	require.NoError(t, RemoveFolder(outside), "a file is removed as well")
	require.NoFileExists(t, outside)
}
