package diskwatch

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/process"
)

const (
	walkNames = 1024   // read at a time
	walkLinks = 100000 // files of several names that are told apart
)

// A walk counts what a command wrote: the bytes on the disk of files with a later change
// time, which no command can set, and the entries that were made since. It follows no
// link, keeps one descriptor open however deep folders are nested, and ends as soon as
// there is too much.
type walk struct {
	since  time.Time
	most   Limits
	linked map[uint64]bool // files of several names that were counted
	bytes  int64
	files  int64
	hidden bool // there was something that could not be counted
}

// A level is a folder on the path from the top to where the walk is.
type level struct {
	dev, ino uint64
	folders  []string // in it, still to be walked
}

func (w *walk) isOver() bool { return w.bytes > w.most.Bytes || w.files > w.most.Files }

// countTree walks a directory that stays open.
func (w *walk) countTree(dir *os.File) {
	here, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		w.hidden = true
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
				w.hidden = true // it was moved meanwhile
				break
			}
		}
		here.Close()
		here = next
	}
	here.Close()
}

// countFolder counts what is in a folder.
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

// countEntry counts one name, and reports whether it is of a folder.
func (w *walk) countEntry(fd int, name string) bool {
	var s unix.Statx_t
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &s) != nil {
		return false // gone since it was listed
	}
	w.addEntry(&s)
	return s.Mode&unix.S_IFMT == unix.S_IFDIR
}

// openChild opens a folder in f; nil where there is none any more.
func (w *walk) openChild(f *os.File, name string) *os.File {
	fd, err := unix.Openat(int(f.Fd()), name, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		return os.NewFile(uintptr(fd), "")
	}
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) {
		w.hidden = true // a command may close a folder to us
	}
	return nil
}

// openParent opens the folder above f, unless it is another than it was.
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

// addEntry adds one entry, unless it is as it was before.
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

// countDeleted counts files that have no name any more but are held open below root: a log
// that is written on after it was removed.
func (w *walk) countDeleted(root int, system systemID) {
	counted := map[uint64]bool{}
	for _, pid := range process.Subtree(root) {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // gone, or closed to us
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
