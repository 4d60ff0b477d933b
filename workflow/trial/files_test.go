package trial

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestFilesOfLFS(t *testing.T) {
	t.Parallel()
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) +
		"\nsize 12\n"
	files := fstest.MapFS{
		".gitattributes":      {Data: []byte("*.psd filter=lfs diff=lfs\n# *.png filter=lfs\n*.go text\n")},
		"data/.gitattributes": {Data: []byte("big/*.bin filter=lfs\n")},
		"a.psd":               {Data: []byte(pointer)},
		"docs/b.psd":          {Data: []byte("a picture")},
		"data/big/c.bin":      {Data: []byte(pointer)},
		"big/d.bin":           {Data: []byte(pointer)},
		"e.png":               {Data: []byte(pointer)},
	}
	var paths []string
	for name := range files {
		paths = append(paths, name)
	}
	found, err := lfsOf(t.Context(), files, paths)
	require.NoError(t, err)
	require.Equal(t, 2, found.Files)
	require.Len(t, found.Patterns, 2)
	found, err = lfsOf(t.Context(), fstest.MapFS{}, nil)
	require.NoError(t, err)
	require.Nil(t, found)
}
