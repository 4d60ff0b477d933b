package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// Folders are the sessions' folders on this machine. A folder can be written anew from rows
// and the mirror, so it may go whenever no turn works in it.
type Folders struct {
	Dir      string
	CacheDir string // of builds; empty: there is none

	mu   sync.Mutex     // over what follows
	held map[string]int // the turns in each session's folder
}

// Hold keeps a session's folder until release is called.
func (d *Folders) Hold(session string) (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held == nil {
		d.held = map[string]int{}
	}
	d.held[session]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		now := time.Now()
		_ = os.Chtimes(filepath.Join(d.Dir, session), now, now) // used last; there may be none
		if d.held[session]--; d.held[session] == 0 {
			delete(d.held, session)
		}
	}
}

// moveAside gives a folder another name, unless a turn works in it or has done so since it was
// looked at. Who comes now makes a new one.
func (d *Folders) moveAside(f folder) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := filepath.Join(d.Dir, f.name)
	if info, err := os.Stat(dir); d.held[f.name] > 0 || err == nil && !info.ModTime().Equal(f.used) {
		return "", nil
	}
	return disk.MoveAside(dir)
}

// Keep says which sessions' folders stay on this machine. Zero: all of them.
type Keep struct {
	Age   time.Duration // since a turn last worked there
	Alone time.Duration // the same, where files are that could not be kept in the database
	Bytes int64         // of all together; the least lately used go first
	Dry   bool          // only say what would go
}

// A folder is one session's, as cleaning sees it.
type folder struct {
	name  string
	used  time.Time
	bytes int64
	alone bool // holds what is nowhere else
}

// Clean removes sessions' folders, never one that a turn works in. What cannot be
// removed is an error after all others were tried.
func (d *Folders) Clean(ctx context.Context, keep Keep) ([]disk.Removed, error) {
	list, err := d.listFolders(ctx)
	if err != nil {
		return nil, fmt.Errorf("clean sessions' folders: %w", err)
	}
	var sum int64
	for _, f := range list {
		sum += f.bytes
	}
	var out []disk.Removed
	var errs []error
	for _, f := range list {
		why := keep.removalReason(f, sum)
		if why == "" || ctx.Err() != nil {
			continue
		}
		gone := disk.Removed{What: filepath.Join(d.Dir, f.name), Why: why, Bytes: f.bytes}
		if !keep.Dry {
			done, err := d.removeFolder(f)
			if err != nil {
				errs = append(errs, fmt.Errorf("remove %s: %w", gone.What, err))
			}
			if !done || err != nil {
				continue
			}
		}
		sum -= f.bytes
		out = append(out, gone)
	}
	return out, errors.Join(errs...)
}

// listFolders are those of all sessions, the least lately used first.
func (d *Folders) listFolders(ctx context.Context) ([]folder, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []folder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || ctx.Err() != nil {
			continue // gone meanwhile
		}
		dir := filepath.Join(d.Dir, e.Name())
		list = append(list, folder{name: e.Name(), used: info.ModTime(), bytes: disk.DiskUse(dir), alone: holdsAlone(dir)})
	}
	slices.SortStableFunc(list, func(a, b folder) int { return a.used.Compare(b.used) })
	return list, err
}

// removalReason says why a folder may go, where sum is what all take now.
func (k Keep) removalReason(f folder, sum int64) string {
	age, limit := time.Since(f.used), k.Age
	if f.alone {
		limit = k.Alone
	}
	switch {
	case disk.IsAside(f.name):
		return "left behind"
	case limit > 0 && age > limit:
		return "not used for longer than it is kept"
	case !f.alone && k.Bytes > 0 && sum > k.Bytes:
		return "more than may be kept, and this was used longest ago"
	}
	return ""
}

func (d *Folders) removeFolder(f folder) (bool, error) {
	dir := filepath.Join(d.Dir, f.name)
	if !disk.IsAside(f.name) {
		var err error
		if dir, err = d.moveAside(f); dir == "" || err != nil {
			return false, err
		}
	}
	return true, disk.RemoveFolder(dir)
}

// LocalOnlyFile names the marks of files that are on this machine alone.
const LocalOnlyFile = "only-here-"

func holdsAlone(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, LocalOnlyFile+"*"))
	return len(found) > 0
}
