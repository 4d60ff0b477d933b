package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// removeDepth is the maximum number of nested folders that a removal keeps open at once. Deeper folders are
// moved up first, because a command can nest folders so deep that no path can name the innermost one and all
// file descriptors of this program do not suffice to reach it.
const removeDepth = 100

// RemoveFolder removes a folder of any depth, even if a command removed the permission to do so. It does not
// follow links. It returns no error if the folder does not exist.
func RemoveFolder(dir string) error {
	top, err := openToEmpty(unix.AT_FDCWD, filepath.Clean(dir))
	if err != nil { // no folder, or a folder that cannot be opened
		return os.RemoveAll(dir)
	}
	defer unix.Close(top)
	r := removal{top: top}
	if err := r.empty(top, 0); err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	return os.Remove(dir)
}

// A removal removes everything below the folder top.
type removal struct {
	top   int
	moved int
}

// empty removes the content of the folder fd. It reads the names again after each round, because folders may
// have been moved up into fd.
func (r *removal) empty(fd, depth int) error {
	for {
		names, err := someNames(fd)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if err := r.remove(fd, name, depth); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

func (r *removal) remove(fd int, name string, depth int) error {
	err := unix.Unlinkat(fd, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	child, opened := openToEmpty(fd, name)
	if opened != nil {
		return err
	}
	defer unix.Close(child)
	if depth == removeDepth {
		r.moved++
		return unix.Renameat(fd, name, r.top, fmt.Sprintf("%s%d.%d", aside, os.Getpid(), r.moved))
	}
	if err := r.empty(child, depth+1); err != nil {
		return err
	}
	return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR)
}

// openToEmpty opens a folder so that its content can be removed. It restores the owner's permissions if a
// command removed them.
func openToEmpty(at int, name string) (int, error) {
	var s unix.Stat_t
	if err := unix.Fstatat(at, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR {
		return -1, unix.ENOTDIR
	}
	if s.Mode&0o700 != 0o700 {
		// does not follow a link that has replaced the folder
		err := unix.Fchmodat(at, name, 0o700, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) { // Linux before 6.6
			err = unix.Fchmodat(at, name, 0o700, 0)
		}
		if err != nil {
			return -1, err
		}
	}
	return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// someNames returns up to 4096 names of the folder fd. It always reads from the start.
func someNames(fd int) ([]string, error) {
	again, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), "")
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(4096)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}
