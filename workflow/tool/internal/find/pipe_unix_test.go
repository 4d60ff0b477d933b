//go:build unix

package find

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFolderThatIsAPipeByNow has a folder that a command replaced by a named pipe after somebody looked at
// it. Opening a pipe without a writer would block for ever.
func TestAFolderThatIsAPipeByNow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "folder"), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, err = OutlineFolder(root, "folder")
	require.Error(t, err)
}
