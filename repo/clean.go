package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Removed is something that cleaning took off the disk, or would have.
type Removed struct {
	What  string // a path
	Why   string
	Bytes int64
}

// aside is what a folder is named while it is being removed: whoever wants it meanwhile
// makes a new one, and what a crash leaves is known for what it is.
const aside = ".gone-"

// IsAside tells whether a name is of a folder that was being removed.
func IsAside(name string) bool { return strings.Contains(name, aside) }

// MoveAside gives a folder another name, under which it may be removed at leisure.
func MoveAside(dir string) (string, error) {
	to := fmt.Sprintf("%s%s%d", dir, aside, time.Now().UnixNano())
	return to, os.Rename(dir, to)
}

// DiskUse is what a file, or a folder with all that is below it, takes of the disk. What
// cannot be read counts nothing.
func DiskUse(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // somebody else removes it, or closed it to us
		}
		if info, err := d.Info(); err == nil {
			bytes += SizeOnDisk(info)
		}
		return nil
	})
	return bytes
}

// SizeOnDisk is what one file takes of the disk.
func SizeOnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}

// MirrorKeep says which mirrors stay. Zero: all of them.
type MirrorKeep struct {
	Unused time.Duration // since a session last asked for it
	Dry    bool          // only say what would go
}

// Clean removes mirrors that no session has asked for in a long time, and what killed
// processes left of clones. Those that have many small packs get one of them. A mirror
// that is in use stays whole; one that is gone is cloned again when it is needed.
func (m *Mirrors) Clean(ctx context.Context, keep MirrorKeep) ([]Removed, error) {
	entries, err := os.ReadDir(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("repo: clean mirrors: %w", err)
	}
	var out []Removed
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			break
		}
		dir := filepath.Join(m.Dir, e.Name())
		why := m.useless(dir, keep)
		if why == "" {
			if !keep.Dry {
				errs = append(errs, m.combine(ctx, dir))
			}
			continue
		}
		gone := Removed{What: dir, Why: why, Bytes: DiskUse(dir)}
		if !keep.Dry {
			there, err := m.take(dir, keep)
			if err != nil {
				errs = append(errs, fmt.Errorf("repo: remove %s: %w", dir, err))
			}
			if !there || err != nil {
				continue
			}
		}
		out = append(out, gone)
	}
	return out, errors.Join(errs...)
}

// abandoned is how old an unfinished clone is before nobody works at it.
const abandoned = 24 * time.Hour

// useless says why a folder among the mirrors may go; empty when it may not.
func (m *Mirrors) useless(dir string, keep MirrorKeep) string {
	name := filepath.Base(dir)
	age := m.age(dir)
	switch {
	case IsAside(name):
		return "left behind"
	case strings.Contains(name, ".git.new-"):
		if age > abandoned {
			return "a clone that was not finished"
		}
	case strings.HasSuffix(name, ".git") && keep.Unused > 0 && age > keep.Unused:
		return "not used for " + days(age)
	}
	return ""
}

// age is how long ago a mirror was last asked for or fetched.
func (m *Mirrors) age(dir string) time.Duration {
	var last time.Time
	for _, name := range []string{dir, filepath.Join(dir, "packed-refs")} {
		if info, err := os.Stat(name); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	return now().Sub(last)
}

func days(d time.Duration) string {
	if d < 48*time.Hour {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// take removes a folder unless somebody uses it.
func (m *Mirrors) take(dir string, keep MirrorKeep) (bool, error) {
	if !IsAside(dir) {
		var err error
		if dir, err = m.moveAside(dir, keep); dir == "" || err != nil {
			return false, err
		}
	}
	return true, RemoveFolder(dir)
}

// moveAside takes a mirror from under its name while nobody can open it; the name is empty
// when somebody has it open, or has just asked for it.
func (m *Mirrors) moveAside(dir string, keep MirrorKeep) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.open[dir]; one != nil {
		select {
		case one.turn <- struct{}{}:
			defer one.unlock()
		default:
			return "", nil // it is being fetched
		}
		if one.isReady() {
			if one.packs.users.Load() > 0 || m.useless(dir, keep) == "" {
				return "", nil
			}
			if err := one.forget(); err != nil {
				return "", err
			}
		}
	}
	return MoveAside(dir)
}

// forget makes the next Open read the disk again.
func (m *Mirror) forget() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = false
	return m.packs.close()
}

// used marks that a session has asked for the mirror.
func (m *Mirror) used() {
	now := m.now()
	_ = os.Chtimes(m.dir, now, now) // at worst it is cloned again one day
}
