package git

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// gitTree makes a repository with files, links and a submodule, and returns its folder.
func gitTree(t *testing.T) string {
	t.Helper()
	remotetest.NeedGit(t)
	dir := t.TempDir()
	run := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, string(said))
	}
	run("init", "-q", "-b", "trunk")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o755))
	writeFile(t, dir, "top.txt", "top\n")
	writeFile(t, dir, "a/b/c.txt", "deep\n")
	for link, to := range map[string]string{
		"link": "a/b/c.txt", "a/up": "../top.txt", "folder": "a", "out": "../../etc/passwd", "loop": "loop",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	run("add", ".")
	run("update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,deps/lib")
	run("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "first")
	return dir
}

// TestFilesOfACommit reads a repository that no mirror has, because its remote is a local path.
func TestFilesOfACommit(t *testing.T) {
	t.Parallel()
	dir := gitTree(t)
	mirrors := &Mirrors{Dir: t.TempDir(), Log: quiet()}
	r := remote.Remote{Name: "shop", URL: dir}
	at := mirrors.Local(r, "")
	require.NotNil(t, at)
	t.Cleanup(at.Close)
	require.Equal(t, "trunk", at.Branch)
	files, err := at.Files(at.Commit)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"top.txt": "top\n", "a/b/c.txt": "deep\n", "link": "deep\n", "a/up": "top\n",
		"folder/b/c.txt": "deep\n",
	} {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err, name)
		require.Equal(t, want, string(text), name)
	}
	for _, name := range []string{"out", "loop", "deps/lib", "gone", "top.txt/x"} {
		_, err := fs.Stat(files, name)
		require.Error(t, err, name)
	}
	_, err = fs.ReadDir(files, "top.txt")
	require.ErrorIs(t, err, fs.ErrInvalid)
	plain, err := fs.Sub(files, "a/b")
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(plain, "c.txt"))
	require.Nil(t, mirrors.Local(r, "gone"), "there is no such branch")
	require.Nil(t, mirrors.Local(remote.Remote{Name: "shop", URL: t.TempDir()}, ""))
	require.Nil(t, mirrors.Local(remote.Remote{Name: "shop", URL: "https://git.example.com/shop"}, ""))
}
