package build

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func owner(t *testing.T, dir string) uint32 {
	t.Helper()
	info, err := os.Stat(dir)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t).Uid
}

// TestAGoCacheIsSeenWhole looks at the cache of a new repository from the moment at which it is there, while several
// calls make it. A build in a cache with folders that are not its own yet fails, and the failure would be stored as
// the result of the base.
func TestAGoCacheIsSeenWhole(t *testing.T) {
	t.Parallel()
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	box := repotest.OpenSandbox(t)
	theirs := t.TempDir()
	require.NoError(t, box.Own(theirs))
	for range 10 {
		caches := Caches{Dir: t.TempDir(), Sandbox: box}
		folder, err := caches.For(m).folder()
		require.NoError(t, err)
		dir := filepath.Join(folder, goBuildDir)
		seen := make(chan string, 1)
		go func() {
			folders, err := os.ReadDir(dir)
			for ; err != nil; folders, err = os.ReadDir(dir) {
				runtime.Gosched()
			}
			seen <- fmt.Sprintf("%d folders, of %d", len(folders), owner(t, dir))
		}()
		var calls sync.WaitGroup
		for range 3 {
			calls.Go(func() {
				made, err := caches.For(m).goBuild()
				if err != nil || owner(t, filepath.Join(made, "ff")) != owner(t, theirs) {
					t.Errorf("%s is of %d: %v", made, owner(t, filepath.Join(made, "ff")), err)
				}
			})
		}
		calls.Wait()
		require.Equal(t, fmt.Sprintf("256 folders, of %d", owner(t, theirs)), <-seen)
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, left, 1, "nothing is left of the calls that were late")
	}
	// Commands of the base may remove folders.
	caches := Caches{Dir: t.TempDir(), Sandbox: box}
	dir, err := caches.For(m).goBuild()
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "ff")))
	again, err := caches.For(m).goBuild()
	require.NoError(t, err)
	require.Equal(t, dir, again)
	require.Equal(t, owner(t, theirs), owner(t, filepath.Join(dir, "ff")))
}
