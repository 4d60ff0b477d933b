package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/bare"
	"github.com/bobbinhq/bobbin/repo/git/internal/dial"
)

// MirrorRetention says which mirrors Clean keeps. The zero value keeps all of them.
type MirrorRetention struct {
	Unused time.Duration // remove a mirror that was not used for longer; 0: none
	Dry    bool          // only report what would be removed
}

// Clean removes mirrors that no session has asked for in a long time, and what killed processes left of
// clones. It combines the small packs of a mirror that has many. A mirror in use is kept. A removed
// mirror is cloned again when a session asks for it.
func (m *Mirrors) Clean(ctx context.Context, keep MirrorRetention) ([]disk.Removed, error) {
	entries, err := os.ReadDir(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git: clean mirrors: %w", err)
	}
	var out []disk.Removed
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			break
		}
		dir := filepath.Join(m.Dir, e.Name())
		why := m.removalReason(dir, keep)
		if why == "" {
			if !keep.Dry {
				errs = append(errs, m.combinePacks(ctx, dir))
			}
			continue
		}
		gone := disk.Removed{What: dir, Why: why, Bytes: disk.DiskUse(dir)}
		if !keep.Dry {
			there, err := m.removeUnused(dir, keep)
			if err != nil {
				errs = append(errs, fmt.Errorf("git: remove %s: %w", dir, err))
			}
			if !there || err != nil {
				continue
			}
		}
		out = append(out, gone)
	}
	return out, errors.Join(errs...)
}

// removalReason returns why a folder among the mirrors may be removed, or an empty string if it may
// not.
func (m *Mirrors) removalReason(dir string, keep MirrorRetention) string {
	name := filepath.Base(dir)
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	age := now().Sub(bare.Dir(dir).LastUse())
	switch {
	case disk.IsAside(name):
		return "left behind"
	case bare.IsUnfinished(name):
		if age > bare.Abandoned {
			return "a clone that was not finished"
		}
	case strings.HasSuffix(name, ".git") && keep.Unused > 0 && age > keep.Unused:
		return "not used for " + formatDays(age)
	}
	return ""
}

func formatDays(d time.Duration) string {
	if d < 48*time.Hour {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// removeUnused removes a folder unless it is in use. It reports whether it tried to remove the folder.
func (m *Mirrors) removeUnused(dir string, keep MirrorRetention) (bool, error) {
	if !disk.IsAside(dir) {
		var err error
		if dir, err = m.moveAside(dir, keep); dir == "" || err != nil {
			return false, err
		}
	}
	return true, disk.RemoveFolder(dir)
}

// moveAside renames a mirror's folder while no other goroutine can open the mirror, and returns the new
// path. The path is empty if the mirror is in use or was asked for just now.
func (m *Mirrors) moveAside(dir string, keep MirrorRetention) (string, error) {
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
			if one.packs.Users.Load() > 0 || m.removalReason(dir, keep) == "" {
				return "", nil
			}
			if err := one.forgetOpened(); err != nil {
				return "", err
			}
		}
	}
	return disk.MoveAside(dir)
}

// forgetOpened closes the mirror's packs, so that the next Open reads the disk again.
func (m *Mirror) forgetOpened() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = false
	return m.packs.Close()
}

// combinePacks combines the small packs of a mirror that this process has open.
func (m *Mirrors) combinePacks(ctx context.Context, dir string) error {
	m.mu.Lock()
	one := m.open[dir]
	m.mu.Unlock()
	if one == nil || !one.isReady() {
		return nil
	}
	if err := one.lock(ctx); err != nil {
		return nil //nolint:nilerr // the program stops
	}
	defer one.unlock()
	if !one.isReady() {
		return nil
	}
	combined, err := one.packs.CombinePacks(func() (io.WriteCloser, error) {
		return dial.NewPackWriter(ctx, one.client.Git, one.dir)
	})
	if combined > 0 {
		one.log.Debug("made one pack of many", "repository", one.Remote().Name, "packs", combined)
	}
	return err
}
