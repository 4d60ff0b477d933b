package build

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// waiting is a test command that prints two tests, waits for a file, and prints the third.
const waiting = `echo 'ok 1 - a'; echo 'ok 2 - b'; until [ -e go ]; do sleep 0.02; done; ` +
	`echo 'ok 3 - c'; echo 1..3`

// letGo makes the file that waiting waits for, in every tree of the Checker's repository.
func letGo(t *testing.T, c *Checker) {
	t.Helper()
	folder, err := c.Cache.folder()
	require.NoError(t, err)
	trees, err := filepath.Glob(filepath.Join(folder, workPrefix+"*", "files"))
	require.NoError(t, err)
	for _, dir := range trees {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o644))
	}
}

// quickly returns the Checker with a Watch that is called all the time. The last progress is sent when the
// run has ended.
func quickly(c *Checker, each func(Progress)) (watched *Checker, last chan Progress) {
	last = make(chan Progress, 1)
	watched = c.WatchedBy(func(p Progress) (func(Progress), func()) {
		each(p)
		return func(now Progress) {
			p = now
			each(now)
		}, func() { last <- p }
	})
	watched.watchAfter = time.Millisecond
	watched.watchEvery = time.Millisecond
	return watched, last
}

// TestProgressOfARun runs the base of two commits. That of the second is compared with the first.
func TestProgressOfARun(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.txt": "a\n"}, repotest.Files{"a.txt": "b\n"})
	c := checker(t).For(m)
	p := project.Project{Kind: "shell", Test: waiting}
	for i, commit := range commits {
		watched, last := quickly(c, func(p Progress) {
			if p.Tests == 2 {
				letGo(t, c)
			}
		})
		r, err := watched.Baseline(t.Context(), commit, p)
		require.NoError(t, err)
		require.Equal(t, 3, r.Passed)
		told := <-last
		require.Equal(t, "tests on main", told.Run)
		require.GreaterOrEqual(t, told.Tests, 2)
		require.Equal(t, []int{0, 3}[i], told.Of)
		require.Equal(t, i == 1, told.About > 0)
	}
	_, last := quickly(c, nil)
	_, err := c.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Empty(t, last, "nothing runs, so nothing is told")
}

func TestProgressInWords(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Progress{
		"tests on main": {Run: "tests on main"},
		"tests on main: 1,204 of about 4,151 tests (about 14 minutes in all)": {
			Run: "tests on main", Tests: 1204, Of: 4151, About: 14*time.Minute + 10*time.Second,
		},
		"tests on the branch: 1 test so far": {Run: "tests on the branch", Tests: 1},
		"tests on the branch: 1,000,000 tests so far (about 90 seconds in all)": {
			Run: "tests on the branch", Tests: 1e6, Of: 3, About: 90 * time.Second,
		},
	} {
		require.Equal(t, want, p.String())
	}
}

// TestACancelledRunEndsAtOnce cancels a run that would never end.
func TestACancelledRunEndsAtOnce(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.txt": "a\n"})
	c := checker(t).For(m)
	ctx, cancel := context.WithCancel(t.Context())
	watched, last := quickly(c, func(p Progress) {
		if p.Tests == 2 {
			cancel()
		}
	})
	_, err := watched.RunTree(ctx, commits[0], nil, project.Project{Kind: "shell", Test: waiting})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, (<-last).Tests)
}

// The parts of a captured output are those that are still kept.
func TestCaptureSince(t *testing.T) {
	t.Parallel()
	c := capture{half: 10}
	_, err := c.Write([]byte("0123456789abcdef"))
	require.NoError(t, err)
	part, next := c.since(0, 100)
	require.Equal(t, "0123456789", part)
	part, next = c.since(next, 4)
	require.Equal(t, "abcd", part)
	_, err = c.Write([]byte("ghijklmnopqrstuvwxyz"))
	require.NoError(t, err)
	part, next = c.since(next, 100)
	require.Equal(t, "qrstuvwxyz", part, "what is left out is skipped")
	part, _ = c.since(next, 100)
	require.Empty(t, part)
}
