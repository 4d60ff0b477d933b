package workfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	MaxFile  = 10 << 20 // bytes of a file that is read whole or edited
	MaxWrite = 1 << 20  // bytes of a file that a model writes
)

// A Content is a whole file.
type Content struct {
	Path string // resolved
	Data []byte
	Mode fs.FileMode
}

// EndsInCRLF reports whether at least half of the lines end in CRLF.
func (c Content) EndsInCRLF() bool { return HasCRLF(c.Data) }

func HasCRLF(data []byte) bool {
	n := bytes.Count(data, []byte("\r\n"))
	return n > 0 && 2*n >= bytes.Count(data, []byte("\n"))
}

// IsBinary reports whether the first 8000 bytes hold a NUL byte, which is how git decides it.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// openRegular opens a regular file for reading, and refuses any other. O_NONBLOCK prevents a pipe without a
// writer from blocking the call. The check is made on the opened file.
func openRegular(root *os.Root, p string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, ExplainPathError(p, err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("stat %s: %w", p, err)
	}
	if !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil, refuseSpecial(p, info.Mode())
	}
	return f, info, nil
}

func refuseSpecial(p string, mode fs.FileMode) error {
	if mode.IsDir() {
		return model.Mistakef("%s is a folder: use list_files for what is in it.", plaintext.QuotePath(p))
	}
	return model.Mistakef("%s is a %s, not a regular file: it is not opened.", plaintext.QuotePath(p), DescribeKind(mode))
}

func DescribeKind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	}
	return "special file"
}

// Load reads a whole file of at most MaxFile bytes.
func Load(root *os.Root, p string) (Content, error) {
	f, info, err := openRegular(root, p)
	if err != nil {
		return Content{}, err
	}
	defer func() { _ = f.Close() }()
	tooLarge := func(n int64) error {
		return model.Mistakef("%s is larger than %s (%s). Use search on it, or run with sed -n, head or grep.", plaintext.QuotePath(p), plaintext.FormatSize(MaxFile), plaintext.FormatSize(n))
	}
	if info.Size() > MaxFile {
		return Content{}, tooLarge(info.Size())
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return Content{}, fmt.Errorf("read %s: %w", p, err)
	}
	if len(data) > MaxFile { // it has grown since, or is of a kind without a size
		return Content{}, tooLarge(int64(len(data)))
	}
	return Content{Path: p, Data: data, Mode: info.Mode()}, nil
}

// ResolveTarget returns the resolved path of a file that is to be written.
func ResolveTarget(root *os.Root, p string) (string, error) {
	cleaned, err := CleanPath(p)
	if err != nil {
		return "", err
	}
	if cleaned == "." || strings.HasSuffix(p, "/") {
		return "", model.Mistake("Give the path of a file, not of a folder.")
	}
	return ResolveLinks(root, cleaned)
}

const ErrNUL = model.Mistake("A text file cannot hold NUL characters.")

func CheckText(text string) ([]byte, error) {
	switch {
	case len(text) > MaxWrite:
		return nil, model.Mistakef("That is more than %s, which is too much for one file.", plaintext.FormatSize(MaxWrite))
	case strings.ContainsRune(text, 0):
		return nil, ErrNUL
	}
	return []byte(text), nil
}

// LoadExisting reads a file, and reports whether it exists.
func LoadExisting(root *os.Root, p string) (Content, bool, error) {
	if _, err := root.Lstat(p); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Content{}, false, nil
	} else if err != nil {
		return Content{}, false, ExplainPathError(p, err)
	}
	c, err := Load(root, p)
	return c, err == nil, err
}

// Store writes data to the file at p, completely or not at all: it writes a new file beside it and renames
// that. So neither a crash nor a command that reads at the same time sees half of the data, and another hard
// link to the old file stays unchanged. Folders are created as needed.
func Store(root *os.Root, p string, data []byte, perm fs.FileMode) error {
	owner, err := ownerOf(root)
	if err != nil {
		return err
	}
	if err := makeFolders(root, path.Dir(p), owner); err != nil {
		return err
	}
	beside := path.Join(path.Dir(p), ".bobbin-"+rand.Text()[:12])
	if err := writeNew(root, beside, data, perm, owner); err != nil {
		_ = root.Remove(beside)
		return err
	}
	failpoint.Crash("file_half_written")
	if err := root.Rename(beside, p); err != nil {
		_ = root.Remove(beside)
		return ExplainPathError(p, err)
	}
	failpoint.Crash("file_written")
	return nil
}

func writeNew(root *os.Root, p string, data []byte, perm fs.FileMode, owner ids) error {
	f, err := root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return ExplainPathError(p, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm.Perm())
	}
	if err == nil && owner.change {
		err = f.Chown(owner.uid, owner.gid)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", p, err)
	}
	return nil
}

// ids is the owner that new files get, so that commands in the sandbox can change them, too: the owner of the
// workspace's root.
type ids struct {
	uid, gid int
	change   bool
}

func ownerOf(root *os.Root) (ids, error) {
	info, err := root.Stat(".")
	if err != nil {
		return ids{}, fmt.Errorf("stat the workspace: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || st.Uid == 0 {
		return ids{}, nil
	}
	return ids{uid: int(st.Uid), gid: int(st.Gid), change: true}, nil
}

func makeFolders(root *os.Root, dir string, owner ids) error {
	made := ""
	for part := range strings.SplitSeq(dir, "/") {
		made = path.Join(made, part)
		err := root.Mkdir(made, 0o755)
		switch {
		case errors.Is(err, fs.ErrExist):
			if info, err := root.Stat(made); err == nil && !info.IsDir() {
				return model.Mistakef("%s is a file, so nothing can be put below it.", plaintext.QuotePath(made))
			}
		case err != nil:
			return ExplainPathError(made, err)
		case owner.change:
			if err := root.Lchown(made, owner.uid, owner.gid); err != nil {
				return fmt.Errorf("hand over %s: %w", made, err)
			}
		}
	}
	return nil
}

func CountLines(data []byte) string {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return plaintext.CountNoun(n, "line")
}

func ToCRLF(s string) []byte { return []byte(strings.ReplaceAll(s, "\n", "\r\n")) }
