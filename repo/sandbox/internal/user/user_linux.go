package user

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// RunsAsRoot reports whether the program runs as root and commands run as another user. In a container with
// root as the only user, root is an ordinary user of the machine and there is no other user for commands, so
// it reports false.
var RunsAsRoot = sync.OnceValue(func() bool {
	return os.Geteuid() == 0 && isMapped("/proc/self/uid_map", OutsideID) && isMapped("/proc/self/gid_map", OutsideID)
})

// isMapped reports whether a user or group exists in this user name space, according to its map.
func isMapped(file string, id int64) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return true // without user name spaces, all users exist
	}
	for line := range strings.Lines(string(text)) {
		var first, outer, n int64
		if _, err := fmt.Sscan(line, &first, &outer, &n); err == nil && id >= first && id-first < n {
			return true
		}
	}
	return false
}

// CommandUser returns the uid and gid that commands have on this machine.
func CommandUser() (uid, gid int) {
	if RunsAsRoot() {
		return OutsideID, OutsideID
	}
	return os.Geteuid(), os.Getegid()
}

// Own makes the user that commands run as the owner of the tree at path, so that commands can write to it.
// Files that are nested too deep keep their owner. Own does nothing unless the program runs as root.
func Own(path string) error {
	if !RunsAsRoot() {
		return nil
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOTDIR) {
		err = unix.Lchown(path, OutsideID, OutsideID)
	} else if err == nil {
		err = errors.Join(unix.Fchown(fd, OutsideID, OutsideID), ownFolder(fd, 0))
	}
	if err != nil {
		return fmt.Errorf("sandbox: own %s: %w", path, err)
	}
	return nil
}

// ownDepth is the maximum number of nested folders whose owner is changed.
const ownDepth = 250

// ownFolder changes the owner of everything in the folder fd, and closes fd. Files that already have the
// right owner are not changed, so their times stay.
func ownFolder(fd, depth int) error {
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			// A command may be changing the folder: entries that disappear or are replaced are skipped.
			if err := ownEntry(fd, name, depth); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func ownEntry(fd int, name string, depth int) error {
	var s unix.Stat_t
	if err := unix.Fstatat(fd, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if s.Uid != OutsideID || s.Gid != OutsideID {
		if err := unix.Fchownat(fd, name, OutsideID, OutsideID, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR || depth == ownDepth {
		return nil
	}
	child, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return ownFolder(child, depth+1)
}

// HandOver lets a command reopen its own end of a pipe, for example as /dev/stdout.
func HandOver(pipe *os.File) {
	if RunsAsRoot() {
		pipe.Chown(OutsideID, OutsideID) //nolint:errcheck // it works without, but for /dev/stdout
	}
}

// IsReachable reports whether the commands' user can read a file or directory and enter every directory above
// it.
func IsReachable(path string) bool {
	uid, gid := CommandUser()
	if !RunsAsRoot() {
		f, err := os.Open(path)
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !isAllowed(real, uid, gid, 0o5) {
		return false
	}
	for real != "/" {
		real = filepath.Dir(real)
		if !isAllowed(real, uid, gid, 0o1) {
			return false
		}
	}
	return true
}

// isAllowed reports whether the permission bits allow want (1 to enter, 4 to read).
func isAllowed(path string, uid, gid int, want fs.FileMode) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		want &^= 0o1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	mode := info.Mode().Perm()
	switch {
	case int(st.Uid) == uid:
		mode >>= 6
	case int(st.Gid) == gid:
		mode >>= 3
	}
	return mode&want == want
}

// BecomeUser switches all threads to another user and group. It cannot be undone.
func BecomeUser(uid, gid int) error {
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("give up groups: %w", err)
	}
	if err := syscall.Setresgid(gid, gid, gid); err != nil {
		return fmt.Errorf("become group %d: %w", gid, err)
	}
	if err := syscall.Setresuid(uid, uid, uid); err != nil {
		return fmt.Errorf("become user %d: %w", uid, err)
	}
	return nil
}
