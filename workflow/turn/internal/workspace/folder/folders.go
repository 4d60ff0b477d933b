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

// Folders manages the sessions' folders on this machine. A folder can be rebuilt from rows and the
// mirror, so it may be removed while no turn works in it.
type Folders struct {
	Dir      string
	CacheDir string // folder of the build cache; empty: there is none

	mu   sync.Mutex     // guards held
	held map[string]int // number of turns in each session's folder
}

// Pin keeps a session's folder from being removed until release is called.
func (d *Folders) Pin(session string) (release func()) {
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
		// the time of last use; the folder may not exist
		_ = os.Chtimes(filepath.Join(d.Dir, session), now, now)
		if d.held[session]--; d.held[session] == 0 {
			delete(d.held, session)
		}
	}
}

// moveAside renames a folder so that it can be removed, and returns the new name. It returns an empty
// string if a turn works in the folder or has done so since f was read. A turn that begins now makes a
// new folder.
func (d *Folders) moveAside(f folder) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := filepath.Join(d.Dir, f.name)
	if info, err := os.Stat(dir); d.held[f.name] > 0 || err == nil && !info.ModTime().Equal(f.used) {
		return "", nil
	}
	return disk.MoveAside(dir)
}

// Retention holds which sessions' folders stay on this machine. The zero value keeps all of them.
type Retention struct {
	// limit on the time since a turn last worked in a folder; zero: none
	Age time.Duration
	// the same limit for a folder with files that could not be stored in the database
	Alone time.Duration
	// limit on the size of all folders together, in bytes; the least recently used go first; zero: none
	Bytes int64
	// only report what would be removed
	Dry bool
}

// A folder is one session's folder, as Clean sees it.
type folder struct {
	name  string
	used  time.Time
	bytes int64
	alone bool // holds files that are stored nowhere else
}

// Clean removes sessions' folders, but never one that a turn works in. It tries all of them, and then
// returns the errors of those that could not be removed.
func (d *Folders) Clean(ctx context.Context, keep Retention) ([]disk.Removed, error) {
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

// listFolders returns the folders of all sessions, the least recently used first.
func (d *Folders) listFolders(ctx context.Context) ([]folder, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []folder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || ctx.Err() != nil {
			continue // it was removed meanwhile
		}
		dir := filepath.Join(d.Dir, e.Name())
		list = append(list, folder{
			name:  e.Name(),
			used:  info.ModTime(),
			bytes: disk.DiskUse(dir),
			alone: hasLocalOnlyFiles(dir),
		})
	}
	slices.SortStableFunc(list, func(a, b folder) int { return a.used.Compare(b.used) })
	return list, err
}

// removalReason returns why a folder may be removed, or an empty string if it may not. sum is the size
// of all folders now.
func (r Retention) removalReason(f folder, sum int64) string {
	age := time.Since(f.used)
	limit := r.Age
	if f.alone {
		limit = r.Alone
	}
	switch {
	case disk.IsAside(f.name):
		return "left behind"
	case limit > 0 && age > limit:
		return "not used for longer than it is kept"
	case !f.alone && r.Bytes > 0 && sum > r.Bytes:
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

// LocalOnlyFile is the prefix of the files that mark a folder whose files are stored only on this
// machine.
const LocalOnlyFile = "only-here-"

func hasLocalOnlyFiles(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, LocalOnlyFile+"*"))
	return len(found) > 0
}
