package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// clockGrain is more than the grain of the clock by which files get their times.
const clockGrain = 20 * time.Millisecond

// A disk is what one command may write of the machine's disks: its workspace and the
// mounts that are not read-only. RLIMIT_FSIZE holds for each file alone, and quotas of
// file systems are not ours to set, so it is watched.
type disk struct {
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

// newDisk notes how things stand before the command starts. What cannot be opened cannot
// be mounted either, and is said there.
func newDisk(j *job) *disk {
	d := &disk{limits: j.limits, since: time.Now().Add(-clockGrain)}
	if !j.cmd.ReadOnly {
		d.add(j.workspace)
	}
	for _, m := range j.cmd.Mounts {
		if m.Writable {
			d.add(m.Host)
		}
	}
	return d
}

func (d *disk) add(dir string) {
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
	i := slices.IndexFunc(d.systems, func(x *fileSystem) bool { return x.id == id })
	if i < 0 {
		i = len(d.systems)
		d.systems = append(d.systems, &fileSystem{
			id: id, free: freeBytes(&s), inodes: int64(s.Ffree), countsInodes: s.Files > 0, walked: time.Now(),
		})
	}
	d.systems[i].dirs = append(d.systems[i].dirs, f)
}

func freeBytes(s *unix.Statfs_t) int64 { return int64(s.Bfree) * int64(s.Bsize) }

func (d *disk) close() {
	for _, s := range d.systems {
		closeAll(s.dirs)
	}
}

// room is an error where a disk has so little left that the command would fail for it, and
// others with it: an eighth of what it may write, or a 128th of a small disk.
func (d *disk) room() error {
	for _, f := range d.systems {
		var s unix.Statfs_t
		if unix.Fstatfs(int(f.dirs[0].Fd()), &s) != nil || s.Blocks == 0 {
			continue
		}
		least := min(d.limits.Disk/8, int64(s.Blocks)*int64(s.Bsize)/128)
		if int64(s.Bavail)*int64(s.Bsize) < least || s.Files > 0 && s.Ffree == 0 {
			return fmt.Errorf("sandbox: %s: %w", f.dirs[0].Name(), unix.ENOSPC)
		}
	}
	return nil
}

// watch calls over once the command below root has written more than it may.
func (d *disk) watch(ctx context.Context, root int, over func(reason string)) {
	wait := watchEvery
	for len(d.systems) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		if reason := d.excess(root, false); reason != "" {
			over(reason)
			return
		}
		wait = max(watchEvery, 4*time.Since(began)) // at most a fifth of a processor
	}
}

// excess says which limit the command is beyond: disk, files, or none. ended says that all
// of its processes are dead.
func (d *disk) excess(root int, ended bool) string {
	for _, s := range d.systems {
		s.look()
		bytes, files := s.gone > d.limits.Disk-s.bytes, s.made > d.limits.Files-s.files
		if !s.countsInodes {
			files = !ended && time.Since(s.walked) > max(time.Second, 9*s.walkingTakes)
		}
		if !bytes && !files {
			continue
		}
		w := &walk{since: d.since, most: d.limits, linked: map[uint64]bool{}}
		began := time.Now()
		for _, dir := range s.dirs {
			w.top(dir)
		}
		if !ended {
			w.deleted(root, s.id)
		}
		switch {
		case w.bytes > d.limits.Disk, w.hidden && bytes:
			return "disk"
		case w.files > d.limits.Files, w.hidden && files && s.countsInodes:
			return "files"
		}
		s.walked, s.walkingTakes = time.Now(), time.Since(began)
		s.gone, s.made, s.bytes, s.files = 0, 0, w.bytes, w.files
	}
	return ""
}

// look adds up what went of the file system since it was last looked at.
func (s *fileSystem) look() {
	var now unix.Statfs_t
	if unix.Fstatfs(int(s.dirs[0].Fd()), &now) != nil {
		return
	}
	free, inodes := freeBytes(&now), int64(now.Ffree)
	s.gone += max(0, s.free-free)
	s.made += max(0, s.inodes-inodes)
	s.free, s.inodes = free, inodes
}
