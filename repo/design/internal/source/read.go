package source

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"unicode/utf8"
)

const maxDesigned = 1 << 20

// ReadText reads a regular file of valid UTF-8 without zero bytes, up to 1 MiB; ok is false for any
// other or missing file.
func ReadText(tree fs.FS, name string) (text string, ok bool, err error) {
	info, err := fs.Lstat(tree, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Size() > maxDesigned) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	f, err := tree.Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDesigned+1))
	if err != nil {
		return "", false, err
	}
	if len(data) > maxDesigned || !utf8.Valid(data) || slices.Contains(data, 0) {
		return "", false, nil
	}
	return string(data), true, nil
}
