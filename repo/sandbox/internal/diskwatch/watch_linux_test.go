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
	write := func(name string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, 8<<20), 0o644))
	}
	excess := func(w *Watch) string {
		defer w.Close()
		w.systems[0].gone = 8 << 20 // others wrote so much to the disk that the watch has to look
		return w.FindExcess(0, true)
	}
	limits := Limits{Bytes: 4 << 20, Files: 500}
	write("left")
	for written := fileTime(); !fileTime().After(written); { // one tick of the clock that sets file times
	}
	require.Empty(t, excess(New(limits, dir)))
	early := New(limits, dir)
	early.since = early.since.Add(-time.Minute)
	require.Equal(t, "disk", excess(early), "control")

	w := New(limits, dir)
	write("own")
	require.Equal(t, "disk", excess(w))
}
