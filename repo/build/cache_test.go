package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestWorkFoldersGoWhateverWasDoneToThem(t *testing.T) {
	t.Parallel()
	c := Caches{Dir: t.TempDir()}
	dir, done, err := c.For(nil).WorkFolder()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(dir, "a/b"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o500))
	done()
	require.NoDirExists(t, dir)
}

func TestRepositoriesDoNotShareAFolder(t *testing.T) {
	t.Parallel()
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := Caches{Dir: t.TempDir()}
	dir, err := c.For(m).folder()
	require.NoError(t, err)
	require.Equal(t, "shop-", filepath.Base(dir)[:5])
	require.Equal(t, "a_b_______etc-", folderName("a/b/../../etc"))
	require.Empty(t, folderName(""))
}
