package build

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// filled returns caches with one repository that holds ten files of 16 KiB. The first was used ten hours ago,
// the last one hour ago.
func filled(t *testing.T) (c *Caches, dir string) {
	t.Helper()
	c = &Caches{Dir: filepath.Join(t.TempDir(), "cache")}
	dir = filepath.Join(c.Dir, "shop-1")
	for n := range 10 {
		file := filepath.Join(dir, "go-build", fmt.Sprintf("%02x", n), "x-d")
		if n == 9 {
			file = filepath.Join(dir, "results", "x.json")
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, make([]byte, 16<<10), 0o644))
		age(t, file, time.Duration(10-n)*time.Hour)
	}
	return c, dir
}

func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	require.NoError(t, os.Chtimes(path, at, at))
}

func TestCachesShrinkFromTheirOldEnd(t *testing.T) {
	t.Parallel()
	c, dir := filled(t)
	left := filepath.Join(dir, "work-1")
	works := filepath.Join(dir, "work-2")
	fetched := filepath.Join(dir, "go-build", "trim.txt")
	for _, path := range []string{left, works, fetched} {
		require.NoError(t, os.Mkdir(path, 0o755))
	}
	age(t, left, 25*time.Hour)
	keep := CacheRetention{Bytes: 70 << 10, Unused: 30 * 24 * time.Hour, Dry: true}
	would, err := c.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Len(t, would, 2)
	require.EqualValues(t, 6*16<<10, would[1].Bytes)
	keep.Dry = false
	removed, err := c.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, would, removed)
	require.NoDirExists(t, left)
	require.DirExists(t, works)
	require.DirExists(t, fetched)
	found, err := filepath.Glob(filepath.Join(dir, "*", "*", "x-d"))
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.FileExists(t, filepath.Join(dir, "results", "x.json"))

	removed, err = c.Clean(t.Context(), CacheRetention{})
	require.NoError(t, err)
	require.Empty(t, removed)
	age(t, filepath.Join(dir, inUseFile), 31*24*time.Hour)
	removed, err = c.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Len(t, removed, 1)
	require.NoDirExists(t, dir)
}

// A build that begins while Clean removes the folder gets a new one, of which nothing is removed.
func TestABuildBeginsWhileItsCacheIsRemoved(t *testing.T) {
	t.Parallel()
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := &Caches{Dir: t.TempDir()}
	dir, err := c.For(m).folder()
	require.NoError(t, err)
	for range 30 {
		for n := range 300 {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, resultsDir, fmt.Sprint(n)), 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint(n)), 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, inUseFile), nil, 0o600))
		age(t, filepath.Join(dir, inUseFile), 31*24*time.Hour)
		cleaned := make(chan error)
		go func() {
			_, err := c.Clean(t.Context(), CacheRetention{Unused: 30 * 24 * time.Hour})
			cleaned <- err
		}()
		release, err := c.For(m).pin(t.Context())
		require.NoError(t, err)
		work, done, err := c.For(m).WorkFolder()
		require.NoError(t, err)
		require.NoError(t, <-cleaned)
		require.DirExists(t, work)
		done()
		release()
	}
}

// What a killed process was removing is removed by the next one, also before it is old.
func TestWhatWasBeingRemovedGoes(t *testing.T) {
	t.Parallel()
	c, dir := filled(t)
	aside, err := disk.MoveAside(dir)
	require.NoError(t, err)
	for _, dry := range []bool{true, false} {
		removed, err := c.Clean(t.Context(), CacheRetention{Dry: dry})
		require.NoError(t, err)
		require.Len(t, removed, 1)
		require.Equal(t, aside, removed[0].What)
	}
	require.NoDirExists(t, aside)
}

// The tests of a base branch write the cache, and may replace one of its folders by a link. The files behind
// the link are neither counted nor removed.
func TestCachesShrinkByNoLink(t *testing.T) {
	t.Parallel()
	c, dir := filled(t)
	outside := filepath.Join(t.TempDir(), "thesis.txt")
	require.NoError(t, os.WriteFile(outside, make([]byte, 16<<10), 0o644))
	age(t, outside, 100*time.Hour)
	aa := filepath.Join(dir, "go-build", "aa")
	require.NoError(t, os.Symlink(filepath.Dir(outside), aa))
	require.NoError(t, os.Symlink(filepath.Join(dir, "results"), filepath.Join(dir, "go-build", "ab")))
	removed, err := c.Clean(t.Context(), CacheRetention{Bytes: 20 << 10})
	require.NoError(t, err)
	require.Len(t, removed, 1)
	require.EqualValues(t, 9*16<<10, removed[0].Bytes)
	require.FileExists(t, outside)
	require.FileExists(t, filepath.Join(dir, "results", "x.json"))
	naive, err := filepath.Glob(filepath.Join(dir, "go-build", "[0-9a-f][0-9a-f]", "*"))
	require.NoError(t, err)
	require.Contains(t, naive, filepath.Join(aa, "thesis.txt"),
		"the control: by their paths it would be the first to go")
}
