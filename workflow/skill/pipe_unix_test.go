//go:build unix

package skill

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Opening a named pipe without a writer would block for ever.
func TestPipeIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "x", fileName), 0o600))
	_, problems := Read(os.DirFS(dir), Repository)
	require.Len(t, problems, 1)
	require.Equal(t, "x/SKILL.md: it is not a regular file; put one in its place", problems[0].String())
}
