package build

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// TestACacheInUseStays checks that cleaning keeps the cache of a repository while a build uses it, and
// deletes the cache when no build holds it any more.
func TestACacheInUseStays(t *testing.T) {
	t.Parallel()
	c := checker(t)
	c.Caches.Dir = t.TempDir()
	other := filepath.Join(c.Caches.Dir, "shop-1", "go-build", "00", "x-d")
	require.NoError(t, os.MkdirAll(filepath.Dir(other), 0o755))
	require.NoError(t, os.WriteFile(other, make([]byte, 16<<10), 0o644))
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	result, err := c.For(m).Cache.resultFile("x.json")
	require.NoError(t, err)
	dir := filepath.Dir(filepath.Dir(result))
	entry := filepath.Join(dir, "go-build", "aa", "y-d")
	require.NoError(t, os.MkdirAll(filepath.Dir(entry), 0o755))
	require.NoError(t, os.WriteFile(entry, make([]byte, 16<<10), 0o644))

	tree := t.TempDir()
	require.NoError(t, c.Caches.Sandbox.Own(tree))
	ended := make(chan error, 1)
	go func() {
		_, err := c.For(m).Run(t.Context(), tree, project.Project{
			Build: "touch begun; until [ -e go ]; do sleep 0.01; done",
		})
		ended <- err
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(tree, "begun"))
		return err == nil
	}, time.Minute, 5*time.Millisecond)
	removed, err := c.Caches.Clean(t.Context(), CacheRetention{Bytes: 1})
	require.NoError(t, err)
	require.Len(t, removed, 1, "that of the other repository")
	require.FileExists(t, entry)
	require.NoError(t, os.WriteFile(filepath.Join(tree, "go"), nil, 0o644))
	require.NoError(t, <-ended)
	_, err = c.Caches.Clean(t.Context(), CacheRetention{Bytes: 1})
	require.NoError(t, err)
	require.NoFileExists(t, entry)
}
