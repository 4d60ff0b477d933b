package diskwatch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/process"
)

// clockGrain is more than the grain of the clock by which files get their times.
const clockGrain = 20 * time.Millisecond

// A Watch looks at what one command writes of the machine's disks: its workspace and the
// mounts that are not read-only. RLIMIT_FSIZE holds for each file alone, and quotas of
// file systems are not ours to set, so it is watched.
type Watch struct {
	limits  Limits
	since   time.Time // what has a later time was written by the command
	systems []*fileSystem
}

// A fileSystem holds some of the directories. Asking it how much is free is cheap, so that
// is done often, and the directories are walked only when enough has gone since the last
// walk for the command to be beyond its limit, had it written all of that.
type fileSystem struct {
	id           systemID
	dirs         []*os.File
	free, inodes int64 // as they were last seen
	gone, made   int64 // how much the free went down since the last walk, rises not counted
	bytes, files int64 // what the last walk found
	countsInodes bool
	walked       time.Time
	walkingTakes time.Duration
}

// A systemID tells file systems apart, also where files have devices of their own.
type systemID struct {
	kind int64
	id   unix.Fsid
}

// New notes how things stand in dirs before the command starts. What cannot be opened
// cannot be mounted either, and is reported there.
func New(limits Limits, dirs ...string) *Watch {
	w := &Watch{limits: limits, since: time.Now().Add(-clockGrain)}
	for _, dir := range dirs {
		w.addDirectory(dir)
	}
	return w
}

func (w *Watch) addDirectory(dir string) {
	f, err := os.OpenFile(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // a single file is bounded by its size
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
			id: id, free: freeBytes(&s), inodes: int64(s.Ffree), countsInodes: s.Files > 0, walked: time.Now(),
		})
	}
	w.systems[i].dirs = append(w.systems[i].dirs, f)
}

func freeBytes(s *unix.Statfs_t) int64 { return int64(s.Bfree) * int64(s.Bsize) }

// Close lets go of the directories.
func (w *Watch) Close() {
	for _, s := range w.systems {
		process.CloseAll(s.dirs)
	}
}

// CheckRoom returns an error if a disk has so little left that the command would fail for it,
// and others with it: an eighth of what it may write, or a 128th of a small disk.
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

// Run calls over once the command below the process root has written more than it may. It
// returns then, or when ctx ends.
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

// FindExcess returns the limit that the command is beyond: disk, files, or "". If ended is
// set all of its processes are dead.
func (w *Watch) FindExcess(root int, ended bool) string {
	for _, s := range w.systems {
		s.measureFree()
		bytes, files := s.gone > w.limits.Bytes-s.bytes, s.made > w.limits.Files-s.files
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
		case found.bytes > w.limits.Bytes, found.hidden && bytes:
			return "disk"
		case found.files > w.limits.Files, found.hidden && files && s.countsInodes:
			return "files"
		}
		s.walked, s.walkingTakes = time.Now(), time.Since(began)
		s.gone, s.made, s.bytes, s.files = 0, 0, found.bytes, found.files
	}
	return ""
}

// measureFree adds up what went of the file system since it was last looked at.
func (s *fileSystem) measureFree() {
	var now unix.Statfs_t
	if unix.Fstatfs(int(s.dirs[0].Fd()), &now) != nil {
		return
	}
	free, inodes := freeBytes(&now), int64(now.Ffree)
	s.gone += max(0, s.free-free)
	s.made += max(0, s.inodes-inodes)
	s.free, s.inodes = free, inodes
}
