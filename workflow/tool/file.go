package tool

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxFile  = 10 << 20 // bytes of a file that is read whole or edited
	maxWrite = 1 << 20  // bytes of a file that a model writes
)

// A content is a whole file.
type content struct {
	path string // resolved
	data []byte
	mode fs.FileMode
}

// crlf reports whether most lines end as on Windows.
func (c content) crlf() bool { return crlf(c.data) }

func crlf(data []byte) bool {
	n := bytes.Count(data, []byte("\r\n"))
	return n > 0 && 2*n >= bytes.Count(data, []byte("\n"))
}

// binary looks where git looks.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// openRegular opens a file for reading and nothing that is not one: O_NONBLOCK keeps a
// pipe without a writer from holding us, and what is judged is what was opened.
func openRegular(root *os.Root, p string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, pathError(p, err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("stat %s: %w", p, err)
	}
	if !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil, notRegular(p, info.Mode())
	}
	return f, info, nil
}

func notRegular(p string, mode fs.FileMode) error {
	if mode.IsDir() {
		return wrongf("%s is a folder: use list_files for what is in it.", plaintext.QuotePath(p))
	}
	return wrongf("%s is a %s, not a regular file: it is not opened.", plaintext.QuotePath(p), kindOf(mode))
}

func kindOf(mode fs.FileMode) string {
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

// load reads a whole file of at most maxFile bytes.
func load(root *os.Root, p string) (content, error) {
	f, info, err := openRegular(root, p)
	if err != nil {
		return content{}, err
	}
	defer func() { _ = f.Close() }()
	tooLarge := func(n int64) error {
		return wrongf("%s is larger than %s (%s). Use search on it, or run with sed -n, head or grep.", plaintext.QuotePath(p), plaintext.FormatSize(maxFile), plaintext.FormatSize(n))
	}
	if info.Size() > maxFile {
		return content{}, tooLarge(info.Size())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", p, err)
	}
	if len(data) > maxFile { // it grew since, or is of the kind that has no size
		return content{}, tooLarge(int64(len(data)))
	}
	return content{path: p, data: data, mode: info.Mode()}, nil
}

// open finds and reads a file that the model named; a missing one is answered with names
// that come near.
func (b *Bench) open(ctx context.Context, p string) (content, error) {
	root := b.Workspace.Root()
	real, err := b.locate(ctx, p)
	if err != nil {
		return content{}, err
	}
	c, err := load(root, real)
	if err != nil {
		return content{}, err
	}
	return c, nil
}

// locate is the resolved path of something that exists.
func (b *Bench) locate(ctx context.Context, p string) (string, error) {
	root := b.Workspace.Root()
	cleaned, err := clean(p)
	if err != nil {
		return "", err
	}
	real, err := resolve(root, cleaned)
	if err != nil {
		return "", err
	}
	if _, err := root.Lstat(real); errors.Is(err, fs.ErrNotExist) {
		if ref := b.attachedAs(ctx, cleaned); ref != "" {
			return "", wrongf("There is no %s in the repository. A file of that name was attached in the thread: %s.", plaintext.QuotePath(cleaned), plaintext.QuotePath(ref))
		}
		return "", wrongf("There is no %s.%s", plaintext.QuotePath(cleaned), didYouMean(near(ctx, root, cleaned)))
	} else if err != nil {
		return "", pathError(cleaned, err)
	}
	return real, nil
}

// store puts data where p is, whole or not at all: it is written beside and renamed, so
// that neither a crash nor a command that reads at the same time sees half of it, and a
// hard link to elsewhere is left alone. Folders are made as needed.
func store(root *os.Root, p string, data []byte, perm fs.FileMode) error {
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
	//crash:file_half_written
	if err := root.Rename(beside, p); err != nil {
		_ = root.Remove(beside)
		return pathError(p, err)
	}
	//crash:file_written
	return nil
}

func writeNew(root *os.Root, p string, data []byte, perm fs.FileMode, owner ids) error {
	f, err := root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return pathError(p, err)
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

// ids is who files have to belong to, so that commands in the sandbox can change them
// too: the owner of the workspace's root.
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
				return wrongf("%s is a file, so nothing can be put below it.", plaintext.QuotePath(made))
			}
		case err != nil:
			return pathError(made, err)
		case owner.change:
			if err := root.Lchown(made, owner.uid, owner.gid); err != nil {
				return fmt.Errorf("hand over %s: %w", made, err)
			}
		}
	}
	return nil
}
