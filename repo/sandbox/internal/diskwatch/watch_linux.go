package diskwatch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// A Watch measures what one command writes to the machine's disks: to its workspace and to writable mounts.
// Measuring is necessary because RLIMIT_FSIZE limits only each single file, and this program cannot set
// quotas of file systems.
type Watch struct {
	limits  Limits
	since   time.Time // files with a later time were written by the command
	systems []*fileSystem
}

// A fileSystem is a file system that holds some of the directories. Asking for its free space is cheap, so
// this is done often. The directories are walked only if so much space is gone since the last walk that the
// command exceeds its limit if it has written all of that.
type fileSystem struct {
	id   systemID
	dirs []*os.File
	// at the last measurement
	free, inodes int64
	// decrease of free space and free inodes since the last walk; increases are not counted
	gone, made int64
	// result of the last walk
	bytes, files int64
	countsInodes bool
	walked       time.Time
	walkingTakes time.Duration
}

// A systemID identifies a file system, also one whose files have different device numbers.
type systemID struct {
	kind int64
	id   unix.Fsid
}

// New records the free space for dirs before the command starts. A directory that cannot be opened is ignored
// here: it cannot be mounted either, and the mount reports it.
func New(limits Limits, dirs ...string) *Watch {
	w := &Watch{limits: limits, since: fileTime()}
	for _, dir := range dirs {
		w.addDirectory(dir)
	}
	return w
}

// fileTime returns the time that the kernel gives to a file that is written now. The kernel reads it from its
// coarse clock, which is some milliseconds behind the one of time.Now: what the command writes is never
// earlier, and what was written before the last tick of that clock is always earlier.
func fileTime() time.Time {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return time.Now()
	}
	return time.Unix(now.Unix())
}

func (w *Watch) addDirectory(dir string) {
	f, err := os.OpenFile(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // a single file is limited by its size
	}
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) != nil {
		f.Close()
		return
	}
	id := systemID{int64(s.Type), s.Fsid}
	i := slices.IndexFunc(w.systems, func(x *fileSystem) bool { return x.id == id })
	if i < 0 {
		i = len(w.systems)
		w.systems = append(w.systems, &fileSystem{
			id:           id,
			free:         freeBytes(&s),
			inodes:       int64(s.Ffree),
			countsInodes: s.Files > 0,
			walked:       time.Now(),
		})
	}
	w.systems[i].dirs = append(w.systems[i].dirs, f)
}

func freeBytes(s *unix.Statfs_t) int64 { return int64(s.Bfree) * int64(s.Bsize) }

// Close closes the directories.
func (w *Watch) Close() {
	for _, s := range w.systems {
		process.CloseAll(s.dirs)
	}
}

// CheckRoom returns an error if a disk has so little free space that the command, and others with it, would
// fail: less than an eighth of config.Bytes, or less than a 128th of a small disk.
func (w *Watch) CheckRoom() error {
	for _, f := range w.systems {
		var s unix.Statfs_t
		if unix.Fstatfs(int(f.dirs[0].Fd()), &s) != nil || s.Blocks == 0 {
			continue
		}
		least := min(w.limits.Bytes/8, int64(s.Blocks)*int64(s.Bsize)/128)
		if int64(s.Bavail)*int64(s.Bsize) < least || s.Files > 0 && s.Ffree == 0 {
			return fmt.Errorf("sandbox: %s: %w", f.dirs[0].Name(), unix.ENOSPC)
		}
	}
	return nil
}

// Run calls over once the command below the process root exceeds a limit. It returns then, or when ctx ends.
func (w *Watch) Run(ctx context.Context, root int, over func(reason string)) {
	if len(w.systems) == 0 {
		return
	}
	process.Repeat(ctx, process.Interval, func() bool {
		reason := w.FindExcess(root, false)
		if reason != "" {
			over(reason)
		}
		return reason == ""
	})
}

// FindExcess returns the limit that the command exceeds: disk, files, or "". ended says that all its
// processes are dead.
func (w *Watch) FindExcess(root int, ended bool) string {
	for _, s := range w.systems {
		s.measureFree()
		bytes := s.gone > w.limits.Bytes-s.bytes
		files := s.made > w.limits.Files-s.files
		if !s.countsInodes {
			files = !ended && time.Since(s.walked) > max(time.Second, 9*s.walkingTakes)
		}
		if !bytes && !files {
			continue
		}
		found := &walk{since: w.since, most: w.limits, linked: map[uint64]bool{}}
		began := time.Now()
		for _, dir := range s.dirs {
			found.countTree(dir)
		}
		if !ended {
			found.countDeleted(root, s.id)
		}
		switch {
		case found.bytes > w.limits.Bytes, found.incomplete && bytes:
			return "disk"
		case found.files > w.limits.Files, found.incomplete && files && s.countsInodes:
			return "files"
		}
		s.walked = time.Now()
		s.walkingTakes = time.Since(began)
		s.gone = 0
		s.made = 0
		s.bytes = found.bytes
		s.files = found.files
	}
	return ""
}

// measureFree adds the decrease of free space since the last measurement.
func (f *fileSystem) measureFree() {
	var now unix.Statfs_t
	if unix.Fstatfs(int(f.dirs[0].Fd()), &now) != nil {
		return
	}
	free := freeBytes(&now)
	inodes := int64(now.Ffree)
	f.gone += max(0, f.free-free)
	f.made += max(0, f.inodes-inodes)
	f.free = free
	f.inodes = inodes
}
