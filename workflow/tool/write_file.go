package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content" jsonschema:"whole file"`
}

func (b *Bench) writeFile(_ context.Context, in writeArgs) (string, error) {
	if err := b.mayWrite(); err != nil {
		return "", err
	}
	b.changing.Lock()
	defer b.changing.Unlock()
	real, err := target(b.Workspace.Root(), in.Path)
	if err == nil {
		err = b.mayTouch(real)
	}
	if err != nil {
		return "", err
	}
	data, err := writable(in.Content)
	if err != nil {
		return "", err
	}
	was, exists, err := existing(b.Workspace.Root(), real)
	if err != nil {
		return "", err
	}
	if !exists {
		return b.create(real, data)
	}
	return b.overwrite(was, data)
}

// target is where a path that is to be written leads.
func target(root *os.Root, p string) (string, error) {
	cleaned, err := clean(p)
	if err != nil {
		return "", err
	}
	if cleaned == "." || strings.HasSuffix(p, "/") {
		return "", wrong("Give the path of a file, not of a folder.")
	}
	return resolve(root, cleaned)
}

const errNUL = wrong("A text file cannot hold NUL characters.")

func writable(text string) ([]byte, error) {
	switch {
	case len(text) > maxWrite:
		return nil, wrongf("That is more than %s, which is too much for one file.", plaintext.FormatSize(maxWrite))
	case strings.ContainsRune(text, 0):
		return nil, errNUL
	}
	return []byte(text), nil
}

// existing reads a file that may be there.
func existing(root *os.Root, p string) (content, bool, error) {
	if _, err := root.Lstat(p); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return content{}, false, nil
	} else if err != nil {
		return content{}, false, pathError(p, err)
	}
	c, err := load(root, p)
	return c, err == nil, err
}

func (b *Bench) create(p string, data []byte) (string, error) {
	if err := store(b.Workspace.Root(), p, data, 0o644); err != nil {
		return "", err
	}
	b.remember(p, data)
	b.edited()
	return fmt.Sprintf("%s written: new, %s\n", plaintext.QuotePath(p), lineCount(data)) + complaints(p, data), nil
}

func (b *Bench) overwrite(was content, data []byte) (string, error) {
	if err := b.knows(was.path, was.data); err != nil {
		return "", err
	}
	if !binary(was.data) && !utf8.Valid(was.data) {
		return "", wrongf("%s holds bytes that are not UTF-8 and would be lost: use edit_file on the lines that are text, or run, with sed.", plaintext.QuotePath(was.path))
	}
	if was.crlf() && !bytes.Contains(data, []byte("\r\n")) {
		data = windows(string(data))
	}
	if bytes.Equal(was.data, data) {
		return fmt.Sprintf("%s holds just that already: nothing was changed.", plaintext.QuotePath(was.path)), nil
	}
	if err := store(b.Workspace.Root(), was.path, data, was.mode); err != nil {
		return "", err
	}
	b.remember(was.path, data)
	b.edited()
	return fmt.Sprintf("%s written: %s\n%s", plaintext.QuotePath(was.path), lineCount(data), shortDiff(was.data, data)) + complaints(was.path, data), nil
}

func lineCount(data []byte) string {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return plaintext.CountNoun(n, "line")
}
