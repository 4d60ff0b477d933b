package diskwatch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What was written just before a command starts is not its own, however little time is between them, and what
// it writes at once is.
func TestWhatStoodThereJustBeforeIsNotCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	beside := t.TempDir() // on the same disk, and written by somebody else
	write := func(dir, name string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, 8<<20), 0o644))
	}
	excess := func(since func() time.Time) string {
		w := New(Limits{Bytes: 4 << 20, Files: 500}, dir)
		defer w.Close()
		w.since = since()
		write(beside, "theirs") // so much of the disk is gone that the watch has to look
		defer os.Remove(filepath.Join(beside, "theirs"))
		return w.FindExcess(0, true)
	}
	write(dir, "left")
	for written := fileTime(); !fileTime().After(written); { // one tick of the clock that sets file times
	}
	require.Empty(t, excess(fileTime))
	require.Equal(t, "disk", excess(func() time.Time { return fileTime().Add(-time.Minute) }), "control")

	w := New(Limits{Bytes: 4 << 20, Files: 500}, dir)
	defer w.Close()
	write(dir, "own")
	require.Equal(t, "disk", w.FindExcess(0, true))
}
