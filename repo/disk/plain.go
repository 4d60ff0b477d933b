package disk

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// PlainFS returns a file system that opens only regular files and folders below root. Stat, Lstat and
// ReadLink work for other files, too, but Open fails for them with fs.ErrInvalid, and never blocks.
func PlainFS(root *os.Root) fs.FS {
	return plainFS{root.FS().(interface {
		fs.StatFS
		fs.ReadLinkFS
	}), root}
}

// plainFS does not implement ReadFile: the ReadFile of the wrapped file system would also open pipes. fs.Stat
// on a file system from fs.Sub calls Open, which does not block on a pipe either.
type plainFS struct {
	asking interface {
		fs.StatFS
		fs.ReadLinkFS
	}
	root *os.Root
}

func (p plainFS) Stat(name string) (fs.FileInfo, error) { return p.asking.Stat(name) }

func (p plainFS) Lstat(name string) (fs.FileInfo, error) { return p.asking.Lstat(name) }

func (p plainFS) ReadLink(name string) (string, error) { return p.asking.ReadLink(name) }

func (p plainFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := p.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
