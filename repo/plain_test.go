package repo

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
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
	require.NoError(t, fstest.TestFS(PlainFS(root), "a.txt", "sub/b.txt"))

	for name, target := range map[string]string{"out": outside, "file": filepath.Join(outside, "secret.txt"), "in": "a.txt", "loop": "loop"} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	pipe := filepath.Join(dir, "sub", "go.mod")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	tree := PlainFS(root)
	for _, name := range []string{"out/secret.txt", "file", "loop", "sub/go.mod", "../x", "/etc/passwd", ""} {
		_, err := fs.ReadFile(tree, name)
		require.Error(t, err, name)
	}
	text, err := fs.ReadFile(tree, "in")
	require.NoError(t, err)
	require.Equal(t, "a\n", string(text))
	below, err := fs.Sub(tree, "sub")
	require.NoError(t, err)
	_, err = fs.Stat(below, "go.mod") // a Sub asks by opening
	require.ErrorIs(t, err, fs.ErrInvalid)
	info, err := fs.Stat(tree, "sub/go.mod")
	require.NoError(t, err)
	require.Equal(t, fs.ModeNamedPipe, info.Mode().Type())

	// The control: the root's own FS waits, until somebody writes.
	naive, err := fs.Sub(root.FS(), "sub")
	require.NoError(t, err)
	asked := make(chan error, 1)
	go func() {
		_, err := fs.Stat(naive, "go.mod")
		asked <- err
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // which gets through only because it waits
	require.NoError(t, err)
	require.NoError(t, <-asked)
	require.NoError(t, writer.Close())
}

// A few bytes of a pack can ask for any amount of memory.
func TestDeltasSayHowMuchTheyMake(t *testing.T) {
	t.Parallel()
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, 1<<20), 5<<30)
	require.EqualValues(t, 5<<30, patchedSize(delta))
	require.Zero(t, patchedSize(nil))
	p := &pack{bases: &baseCache{}}
	_, err := p.bytes(entry{size: maxHeld + 1})
	require.Error(t, err)
	p.size = maxHeld
	_, err = p.bytes(entry{size: maxHeld + 1})
	require.ErrorIs(t, err, errTooMuch)
}

// What is too large to compare is not read from the store either.
func TestLargeBlobsAreNotCompared(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.commit("first", map[string]string{"small.bin": "small\n"})
	w := workspaceOf(t, o)
	st, err := readState(w.statePath())
	require.NoError(t, err)
	d := &delta{path: "small.bin", before: st.records[0].node()}
	require.NoError(t, w.store.weigh(d, d.before))
	require.EqualValues(t, len("small\n"), d.kept)
	require.False(t, d.tooLarge())
	d.kept = MaxFile + 1
	before, after, err := w.contents(ctx0(), d)
	require.NoError(t, err)
	require.Empty(t, append(before, after...))
	require.Equal(t, "deleted small.bin (too large (50 MB)) binary", change(d, before, after).String())
	d.kept = 0
	before, _, err = w.contents(ctx0(), d)
	require.NoError(t, err)
	require.Equal(t, "small\n", string(before), "the control: what is small is")
	_, diff, err := w.mirror.ShowWithout(ctx0(), "main", func(path string) bool { return path == "small.bin" })
	require.NoError(t, err)
	require.Equal(t, "diff --git a/small.bin b/small.bin\n… changed, and not shown\n", diff)
}
