package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/disk"
)

// holds are the sessions whose folders are in use. A folder can be written anew from rows
// and the mirror, so it may go whenever no turn works in it.
type holds struct {
	mu   sync.Mutex
	held map[string]int
}

// hold keeps a session's folder until release is called.
func (d *Folders) hold(session string) (release func()) {
	h := d.holds
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[string]int{}
	}
	h.held[session]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		now := time.Now()
		_ = os.Chtimes(filepath.Join(d.Dir, session), now, now) // used last; there may be none
		if h.held[session]--; h.held[session] == 0 {
			delete(h.held, session)
		}
	}
}

// take gives a folder another name, unless a turn works in it or has done so since it was
// looked at. Who comes now makes a new one.
func (d *Folders) take(f folder) (string, error) {
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	dir := filepath.Join(d.Dir, f.name)
	if info, err := os.Stat(dir); d.holds.held[f.name] > 0 || err == nil && !info.ModTime().Equal(f.used) {
		return "", nil
	}
	return disk.MoveAside(dir)
}

// FolderKeep says which sessions' folders stay on this machine. Zero: all of them.
type FolderKeep struct {
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
func (d *Folders) Clean(ctx context.Context, keep FolderKeep) ([]repo.Removed, error) {
	list, err := d.folders(ctx)
	if err != nil {
		return nil, fmt.Errorf("clean sessions' folders: %w", err)
	}
	var sum int64
	for _, f := range list {
		sum += f.bytes
	}
	var out []repo.Removed
	var errs []error
	for _, f := range list {
		why := keep.useless(f, sum)
		if why == "" || ctx.Err() != nil {
			continue
		}
		gone := repo.Removed{What: filepath.Join(d.Dir, f.name), Why: why, Bytes: f.bytes}
		if !keep.Dry {
			done, err := d.remove(f)
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

// folders are those of all sessions, the least lately used first.
func (d *Folders) folders(ctx context.Context) ([]folder, error) {
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

// useless says why a folder may go, where sum is what all take now.
func (k FolderKeep) useless(f folder, sum int64) string {
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

func (d *Folders) remove(f folder) (bool, error) {
	dir := filepath.Join(d.Dir, f.name)
	if !disk.IsAside(f.name) {
		var err error
		if dir, err = d.take(f); dir == "" || err != nil {
			return false, err
		}
	}
	return true, disk.RemoveFolder(dir)
}

// only names the marks of files that are on this machine alone.
const only = "only-here-"

func holdsAlone(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, only+"*"))
	return len(found) > 0
}

// alone marks that a task's files stand beyond what was recorded of them last, or, with
// kept, that they do not any more.
func (t *Trees) alone(ctx context.Context, task int64, kept bool) error {
	name := t.dir(only + fmt.Sprint(task))
	if kept {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	row, err := t.Store.Snapshot(ctx, t.Session().ID, task)
	if err != nil {
		return err
	}
	tree := ""
	if row != nil {
		tree = row.Tree
	}
	return os.WriteFile(name, []byte(tree), 0o600)
}

// beyond tells whether this machine's files are newer than what was recorded, since they
// could not be: nobody else has recorded anything after that.
func (t *Trees) beyond(task int64, recorded string) bool {
	tree, err := os.ReadFile(t.dir(only + fmt.Sprint(task)))
	return err == nil && strings.TrimSpace(string(tree)) == recorded
}
