package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// removeDepth is how many folders within folders a removal keeps open at once. What is
// deeper is moved up first: a command can nest folders until neither a path nor all
// descriptors of this program reach the innermost.
const removeDepth = 100

// RemoveFolder removes a folder however deep it is, also where a command took the right to
// do so away. It follows no link. A folder that is not there is no error.
func RemoveFolder(dir string) error {
	top, err := openToEmpty(unix.AT_FDCWD, filepath.Clean(dir))
	if err != nil { // no folder, or nobody's to open
		return os.RemoveAll(dir)
	}
	defer unix.Close(top)
	r := removal{top: top}
	if err := r.empty(top, 0); err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	return os.Remove(dir)
}

// A removal is of what is below top.
type removal struct {
	top   int
	moved int
}

// empty removes what is in the folder fd. It reads the names anew after each round: what
// was moved up has come in meanwhile.
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

// openToEmpty opens a folder so that what is in it can be removed: it is ours, whatever a
// command took away.
func openToEmpty(at int, name string) (int, error) {
	var s unix.Stat_t
	if err := unix.Fstatat(at, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR {
		return -1, unix.ENOTDIR
	}
	if s.Mode&0o700 != 0o700 {
		err := unix.Fchmodat(at, name, 0o700, unix.AT_SYMLINK_NOFOLLOW)     // a link may be there by now
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) { // Linux before 6.6
			err = unix.Fchmodat(at, name, 0o700, 0)
		}
		if err != nil {
			return -1, err
		}
	}
	return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// someNames are the first names in the folder fd, however far it was read before.
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
