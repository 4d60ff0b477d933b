package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestPlainFilesAloneAreOpened(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, outside, "secret.txt", "secret\n")
	writeFile(t, dir, "a.txt", "a\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	writeFile(t, filepath.Join(dir, "sub"), "b.txt", "b\n")
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	require.NoError(t, fstest.TestFS(disk.PlainFS(root), "a.txt", "sub/b.txt"))

	for name, target := range map[string]string{"out": outside, "file": filepath.Join(outside, "secret.txt"), "in": "a.txt", "loop": "loop"} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	pipe := filepath.Join(dir, "sub", "go.mod")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	tree := disk.PlainFS(root)
	for _, name := range []string{"out/secret.txt", "file", "loop", "sub/go.mod", "../x", "/etc/passwd", ""} {
		_, err := fs.ReadFile(tree, name)
		require.Error(t, err, name)
	}
	text, err := fs.ReadFile(tree, "in")
	require.NoError(t, err)
	require.Equal(t, "a\n", string(text))
	below, err := fs.Sub(tree, "sub")
	require.NoError(t, err)
	_, err = fs.Stat(below, "go.mod") // fs.Sub opens the file to stat it
	require.ErrorIs(t, err, fs.ErrInvalid)
	info, err := fs.Stat(tree, "sub/go.mod")
	require.NoError(t, err)
	require.Equal(t, fs.ModeNamedPipe, info.Mode().Type())

	// The control: the FS of os.Root waits until another process writes to the pipe.
	naive, err := fs.Sub(root.FS(), "sub")
	require.NoError(t, err)
	asked := make(chan error, 1)
	go func() {
		_, err := fs.Stat(naive, "go.mod")
		asked <- err
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // this succeeds only because the reader is waiting
	require.NoError(t, err)
	require.NoError(t, <-asked)
	require.NoError(t, writer.Close())
}

// A blob that is too large to compare is not read from the store either.
func TestLargeBlobsAreNotCompared(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"small.bin": "small\n"})
	w := workspaceOf(t, o)
	st, err := index.Read(w.StatePath())
	require.NoError(t, err)
	d := &gittree.Delta{Path: "small.bin", Before: st.Records[0].Node()}
	require.NoError(t, gittree.MeasureSide(w.Store, d, d.Before))
	require.EqualValues(t, len("small\n"), d.Kept)
	require.False(t, d.TooLarge())
	d.Kept = gittree.MaxFile + 1
	before, after, err := w.ReadSides(ctx0(), d)
	require.NoError(t, err)
	require.Empty(t, append(before, after...))
	require.Equal(t, "deleted small.bin (too large (50 MB)) binary", diff.NewChange(d, before, after).String())
	d.Kept = 0
	before, _, err = w.ReadSides(ctx0(), d)
	require.NoError(t, err)
	require.Equal(t, "small\n", string(before), "the control: what is small is")
	_, diff, err := w.mirror.Commits().Show(ctx0(), "main", "", func(path string) bool { return path == "small.bin" })
	require.NoError(t, err)
	require.Equal(t, "diff --git a/small.bin b/small.bin\n… changed, and not shown\n", diff)
}
