package diskwatch

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

const (
	walkNames = 1024   // names read at a time
	walkLinks = 100000 // maximum number of files with several names that are tracked
)

// A walk counts what a command has written: the bytes of files with a change time after since, which no
// command can set, and the entries that were created after since. It does not follow links, keeps only one
// descriptor open whatever the depth, and stops as soon as a limit is exceeded.
type walk struct {
	since      time.Time
	most       Limits
	linked     map[uint64]bool // inodes of files with several names that were counted
	bytes      int64
	files      int64
	incomplete bool // something could not be counted
}

// A level is a folder on the path from the top to the current position of the walk.
type level struct {
	dev, ino uint64
	folders  []string // subfolders that are still to be walked
}

func (w *walk) isOver() bool { return w.bytes > w.most.Bytes || w.files > w.most.Files }

// countTree counts everything in dir, which stays open.
func (w *walk) countTree(dir *os.File) {
	here, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		w.incomplete = true
		return
	}
	path := []level{w.countFolder(here)}
	for !w.isOver() {
		last := &path[len(path)-1]
		next := here
		if n := len(last.folders); n > 0 {
			name := last.folders[n-1]
			last.folders = last.folders[:n-1]
			if next = w.openChild(here, name); next == nil {
				continue
			}
			path = append(path, w.countFolder(next))
		} else {
			if path = path[:len(path)-1]; len(path) == 0 {
				break
			}
			if next = openParent(here, path[len(path)-1]); next == nil {
				w.incomplete = true // the folder was moved in the meantime
				break
			}
		}
		here.Close()
		here = next
	}
	here.Close()
}

// countFolder counts the entries of a folder.
func (w *walk) countFolder(f *os.File) level {
	l := level{}
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) == nil {
		l.dev, l.ino = s.Dev, s.Ino
	}
	for !w.isOver() {
		names, err := f.Readdirnames(walkNames)
		for _, name := range names {
			if w.countEntry(int(f.Fd()), name) {
				l.folders = append(l.folders, name)
			}
		}
		if err != nil {
			break
		}
	}
	return l
}

// countEntry counts one entry, and reports whether it is a folder.
func (w *walk) countEntry(fd int, name string) bool {
	var s unix.Statx_t
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &s) != nil {
		return false // removed since it was listed
	}
	w.addEntry(&s)
	return s.Mode&unix.S_IFMT == unix.S_IFDIR
}

// openChild opens a folder in f, or returns nil if it no longer exists.
func (w *walk) openChild(f *os.File, name string) *os.File {
	fd, err := unix.Openat(int(f.Fd()), name, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		return os.NewFile(uintptr(fd), "")
	}
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) {
		w.incomplete = true // a command may remove the permission to enter a folder
	}
	return nil
}

// openParent opens the parent folder of f, or returns nil if it is not the folder l any more.
func openParent(f *os.File, l level) *os.File {
	fd, err := unix.Openat(int(f.Fd()), "..", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	var s unix.Stat_t
	if unix.Fstat(fd, &s) != nil || s.Dev != l.dev || s.Ino != l.ino {
		unix.Close(fd)
		return nil
	}
	return os.NewFile(uintptr(fd), "")
}

// addEntry counts one entry, unless it has not changed since the start.
func (w *walk) addEntry(s *unix.Statx_t) {
	if !w.isLater(s.Ctime) {
		return
	}
	born := s.Ctime
	if s.Mask&unix.STATX_BTIME != 0 {
		born = s.Btime
	}
	if w.isLater(born) {
		w.files++
	}
	if s.Nlink > 1 && s.Mode&unix.S_IFMT == unix.S_IFREG {
		if w.linked[s.Ino] {
			return
		}
		if len(w.linked) < walkLinks {
			w.linked[s.Ino] = true
		}
	}
	w.bytes += int64(s.Blocks) * 512
}

func (w *walk) isLater(t unix.StatxTimestamp) bool {
	return !time.Unix(t.Sec, int64(t.Nsec)).Before(w.since)
}

// countDeleted counts deleted files that a process below root still holds open, for example a log that is
// still written after its removal.
func (w *walk) countDeleted(root int, system systemID) {
	counted := map[uint64]bool{}
	for _, pid := range process.Subtree(root) {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // the process has ended, or its descriptors cannot be read
		}
		for _, e := range entries {
			if w.isOver() {
				return
			}
			var s unix.Stat_t
			path := dir + "/" + e.Name()
			if unix.Stat(path, &s) != nil || s.Nlink > 0 || s.Mode&unix.S_IFMT != unix.S_IFREG || counted[s.Ino] {
				continue
			}
			var of unix.Statfs_t
			if unix.Statfs(path, &of) == nil && (systemID{int64(of.Type), of.Fsid}) == system {
				counted[s.Ino] = true
				w.bytes += s.Blocks * 512
			}
		}
	}
}
