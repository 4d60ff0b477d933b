package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// An almost full disk is reported before a command fails because of it.
func TestNoRoom(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "true")
		j, err := c.newJob()
		require.NoError(t, err)
		d := watchDisks(j)
		defer d.Close()
		require.NoError(t, d.CheckRoom())
		full := t.TempDir()
		if unix.Mount("box", full, "tmpfs", 0, "size=1m") != nil {
			return // not allowed here
		}
		t.Cleanup(func() { unix.Unmount(full, unix.MNT_DETACH) }) //nolint:errcheck // it was mounted
		require.NoError(t, s.Own(full))
		c = s.Command(full, "true")
		require.NoError(t, c.Run(t.Context()))
		require.NoError(t, os.WriteFile(filepath.Join(full, "all"), make([]byte, 1<<20-4096), 0o644))
		require.ErrorIs(t, c.Run(t.Context()), unix.ENOSPC)
	})
}
