package diskwatch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user/usertest"
)

// Files from before the start are not counted, and a file with several names is counted once.
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
	for tooEarly := true; tooEarly; { // wait until the coarse clock that sets file times has passed since
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
		w := &walk{since: since, most: Limits{Bytes: 4 << 30, Files: 500_000}, linked: map[uint64]bool{}}
		w.countTree(top)
		require.False(t, w.incomplete)
		return w
	}
	w := count(since)
	require.GreaterOrEqual(t, w.bytes, int64(1<<20))
	require.Less(t, w.bytes, int64(2<<20))
	require.LessOrEqual(t, w.files, int64(6), "four names, a folder and the mark")
	require.GreaterOrEqual(t, w.files, int64(5))
	require.GreaterOrEqual(t, count(past).bytes, int64(9<<20))
}

// A file at any depth is counted, and any depth needs only one descriptor.
func TestAWalkReachesTheDeepest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", 400))
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(deep, "file"), make([]byte, 1<<20), 0o644))
	top, err := os.Open(dir)
	require.NoError(t, err)
	defer top.Close()
	w := &walk{most: Limits{Bytes: 4 << 30, Files: 500_000}, linked: map[uint64]bool{}}
	w.countTree(top)
	require.False(t, w.incomplete)
	require.Equal(t, int64(401), w.files)
	require.GreaterOrEqual(t, w.bytes, int64(1<<20))
}

func TestAsAnOrdinaryUser(t *testing.T) {
	require.Contains(t, usertest.Rerun(t, nil, "-test.skip", "TestAsAnOrdinaryUser"), "--- PASS: TestWhatAWalkCounts")
}
