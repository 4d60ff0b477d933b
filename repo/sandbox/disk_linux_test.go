package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What was there before counts nothing, and a file of several names once.
func TestWhatAWalkCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, n int) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o644))
	}
	write("old/large", 8<<20)
	require.NoError(t, os.Symlink("/", filepath.Join(dir, "out")))
	past := time.Now().Add(-time.Hour)
	since := time.Now()
	for tooEarly := true; tooEarly; { // files get their times from a clock of coarse grain
		write("mark", 0)
		var s unix.Statx_t
		require.NoError(t, unix.Statx(unix.AT_FDCWD, filepath.Join(dir, "mark"), 0, unix.STATX_BASIC_STATS, &s))
		tooEarly = time.Unix(s.Ctime.Sec, int64(s.Ctime.Nsec)).Before(since)
	}
	write("new/a", 1<<20)
	for _, name := range []string{"b", "c", "d"} {
		require.NoError(t, os.Link(filepath.Join(dir, "new/a"), filepath.Join(dir, "new", name)))
	}
	require.NoError(t, os.Chtimes(filepath.Join(dir, "new/a"), past, past))
	top, err := os.Open(dir)
	require.NoError(t, err)
	defer top.Close()
	count := func(since time.Time) *walk {
		w := &walk{since: since, most: Limits{}.withDefaults(), linked: map[uint64]bool{}}
		w.top(top)
		require.False(t, w.hidden)
		return w
	}
	w := count(since)
	require.GreaterOrEqual(t, w.bytes, int64(1<<20))
	require.Less(t, w.bytes, int64(2<<20))
	require.LessOrEqual(t, w.files, int64(6), "four names, a folder and the mark")
	require.GreaterOrEqual(t, w.files, int64(5))
	require.GreaterOrEqual(t, count(past).bytes, int64(9<<20))
}

// No depth hides a file, and no depth takes more than one descriptor.
func TestAWalkReachesTheDeepest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", 400))
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(deep, "file"), make([]byte, 1<<20), 0o644))
	top, err := os.Open(dir)
	require.NoError(t, err)
	defer top.Close()
	w := &walk{most: Limits{}.withDefaults(), linked: map[uint64]bool{}}
	w.top(top)
	require.False(t, w.hidden)
	require.Equal(t, int64(401), w.files)
	require.GreaterOrEqual(t, w.bytes, int64(1<<20))
}

// A disk that is all but full is said before a command fails for it.
func TestNoRoom(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		c := s.Command(workspace(t, s), "true")
		j, err := c.job()
		require.NoError(t, err)
		d := newDisk(j)
		defer d.close()
		require.NoError(t, d.room())
		full := t.TempDir()
		if unix.Mount("box", full, "tmpfs", 0, "size=1m") != nil {
			return // not by us
		}
		t.Cleanup(func() { unix.Unmount(full, unix.MNT_DETACH) }) //nolint:errcheck // it was mounted
		require.NoError(t, s.Own(full))
		c = s.Command(full, "true")
		require.NoError(t, c.Run(t.Context()))
		require.NoError(t, os.WriteFile(filepath.Join(full, "all"), make([]byte, 1<<20-4096), 0o644))
		require.ErrorIs(t, c.Run(t.Context()), unix.ENOSPC)
	})
}
