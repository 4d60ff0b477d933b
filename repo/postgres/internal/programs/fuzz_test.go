package programs

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func archived(f *testing.F, files map[string]string, links ...*tar.Header) []byte {
	f.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range links {
		require.NoError(f, w.WriteHeader(h))
	}
	for name, text := range files {
		require.NoError(f, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o755, Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(text))
		require.NoError(f, err)
	}
	require.NoError(f, w.Close())
	return b.Bytes()
}

// FuzzUnpackArchive checks that unpack never writes outside its folder and creates no link that leads
// outside, whatever the archive contains.
func FuzzUnpackArchive(f *testing.F) {
	f.Add(archived(f, map[string]string{"package/native/bin/postgres": "x", "package/native/pg-symlinks.json": `[{"source":"native/bin/postgres","target":"native/bin/pg"}]`}))
	f.Add(archived(f, map[string]string{"package/../../out": "x"}))
	f.Add(archived(f, map[string]string{"package/native/pg-symlinks.json": `[{"source":"/etc/passwd","target":"native/x"},{"source":"native/../../x","target":"../y"}]`}))
	f.Add(archived(f, nil, &tar.Header{Name: "package/native/x", Linkname: "/etc", Typeflag: tar.TypeSymlink}))
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 256<<10 {
			return
		}
		above := t.TempDir()
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, err := w.Write(raw)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		archive, dir := filepath.Join(above, "archive"), filepath.Join(above, "dir")
		require.NoError(t, os.WriteFile(archive, zipped.Bytes(), 0o600))
		_ = unpack(archive, dir)
		entries, err := os.ReadDir(above)
		require.NoError(t, err)
		require.LessOrEqual(t, len(entries), 2, "something was written beside it")
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type()&fs.ModeSymlink != 0 {
				to, err := os.Readlink(name)
				require.NoError(t, err)
				require.False(t, filepath.IsAbs(to), to)
				at, err := filepath.Rel(dir, filepath.Join(filepath.Dir(name), to))
				require.NoError(t, err)
				require.True(t, filepath.IsLocal(at), to)
			}
			return nil
		})
	})
}
