package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/disk"
)

// CacheRetention holds the limits of Clean. The zero value keeps everything except what
// killed processes left behind.
type CacheRetention struct {
	// maximum of all repositories together; the least recently used files are removed first
	Bytes int64
	// a repository without a build for this long is removed completely
	Unused time.Duration
	// only report what would be removed
	Dry bool
}

// leftBehind is the age from which a work folder counts as left behind by a killed process.
const leftBehind = 24 * time.Hour

// Clean removes the least recently used files from the caches, and what killed processes left behind. It
// skips a repository that is being built or tested. Removed files are built again when they are needed.
func (c *Caches) Clean(ctx context.Context, keep CacheRetention) ([]disk.Removed, error) {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("build cache: clean: %w", err)
	}
	var out []disk.Removed
	var errs []error
	var remaining []*cleaning
	for _, e := range entries {
		if !e.IsDir() || ctx.Err() != nil {
			continue
		}
		s := &cleaning{dir: filepath.Join(c.Dir, e.Name()), keep: keep}
		if disk.IsAside(e.Name()) {
			removed, err := s.remove(nil, s.dir, "left behind")
			out = append(out, removed...)
			errs = append(errs, err)
			continue
		}
		defer s.close()
		removed, err := s.removeOutdated()
		out = append(out, removed...)
		errs = append(errs, err)
		if s.shrinkable {
			remaining = append(remaining, s)
		}
	}
	removed, err := shrinkToSize(remaining, keep)
	return append(out, removed...), errors.Join(append(errs, err)...)
}

// A cleaning cleans the folder of one repository.
type cleaning struct {
	dir        string
	keep       CacheRetention
	shrinkable bool       // the lock is held until close, and the folder was not removed
	lock       *disk.Lock // nil: a build is running
	open       []*os.Root
}

// removeOutdated takes the lock of the repository's folder, unless a build is running. It removes the whole
// folder if it was unused for too long, or else only what killed processes left behind.
func (c *cleaning) removeOutdated() (out []disk.Removed, err error) {
	if c.lock, err = disk.TryExclusive(filepath.Join(c.dir, inUseFile)); err != nil {
		return nil, fmt.Errorf("build cache: clean: %w", err)
	}
	if c.lock == nil {
		return nil, nil
	}
	fetched := filepath.Join(c.dir, packagesDir)
	if info, err := os.Stat(filepath.Join(c.dir, inUseFile)); err == nil && c.keep.Unused > 0 &&
		time.Since(info.ModTime()) > c.keep.Unused {
		if packages.InUse(fetched) {
			return nil, nil
		}
		return c.removeAll("nothing was built of it for longer than it is kept")
	}
	c.shrinkable = true
	for _, k := range packages.List(fetched) {
		if !k.Abandoned() {
			continue
		}
		if out, err = c.removePackages(out, k, "left behind"); err != nil {
			return out, err
		}
	}
	entries, err := os.ReadDir(c.dir)
	for _, e := range entries {
		info, gone := e.Info()
		if gone == nil && time.Since(info.ModTime()) > leftBehind &&
			(strings.HasPrefix(e.Name(), workPrefix) || strings.HasPrefix(e.Name(), scratchPrefix)) {
			var failed error
			out, failed = c.remove(out, filepath.Join(c.dir, e.Name()), "left behind")
			err = errors.Join(err, failed)
		}
	}
	return out, err
}

// removeAll removes the whole folder. It first moves it away: a build that begins meanwhile makes a new
// folder, with a lock file of its own, and nothing of it may be removed.
func (c *cleaning) removeAll(why string) ([]disk.Removed, error) {
	if c.keep.Dry {
		return c.remove(nil, c.dir, why)
	}
	aside, err := disk.MoveAside(c.dir)
	if err != nil {
		return nil, fmt.Errorf("build cache: clean: %w", err)
	}
	out, err := c.remove(nil, aside, why)
	for i := range out {
		out[i].What = c.dir
	}
	return out, err
}

func (c *cleaning) remove(out []disk.Removed, dir, why string) ([]disk.Removed, error) {
	removed := disk.Removed{What: dir, Why: why, Bytes: disk.DiskUse(dir)}
	if !c.keep.Dry {
		if err := disk.RemoveFolder(dir); err != nil {
			return out, fmt.Errorf("build cache: clean: %w", err)
		}
	}
	return append(out, removed), nil
}

// removePackages removes packages, unless they are in use.
func (c *cleaning) removePackages(out []disk.Removed, k packages.Kept, why string) ([]disk.Removed, error) {
	if !c.keep.Dry {
		if gone, err := k.Remove(); !gone || err != nil {
			return out, err
		}
	}
	return append(out, disk.Removed{What: k.Path, Why: why, Bytes: k.Bytes}), nil
}

func (c *cleaning) close() {
	for _, root := range c.open {
		root.Close()
	}
	c.lock.Release()
}

// An entry can be removed on its own: a file of a build cache, a stored result, or a folder of packages.
type entry struct {
	root     *os.Root // the folder of the cache; nil for packages
	name     string   // path below root
	used     time.Time
	bytes    int64
	packages *packages.Kept
}

// path returns the path of the entry. It also gives entries with the same time of use a fixed order.
func (e entry) path() string {
	if e.packages != nil {
		return e.packages.Path
	}
	return e.root.Name() + "/" + e.name
}

// remove removes the entry unless it is in use, and reports whether it was removed.
func (e entry) remove() (gone bool, err error) {
	if e.packages != nil {
		return e.packages.Remove()
	}
	err = e.root.Remove(e.name)
	return err == nil, err
}

// counted returns the record of the entry's removal. Packages have one record each; files share the record of
// their cache.
func (e entry) counted() disk.Removed {
	if e.packages != nil {
		return disk.Removed{What: e.path(), Why: "packages that were used longest ago: more than may be kept"}
	}
	return disk.Removed{
		What: e.root.Name(),
		Why:  "the files that were used longest ago: more than may be kept",
	}
}

// shrinkToSize removes entries, the least recently used first, until all repositories together take no more
// than keep.Bytes. Go updates the time of the entries that it uses, and builds missing ones again.
func shrinkToSize(folders []*cleaning, keep CacheRetention) (out []disk.Removed, err error) {
	if keep.Bytes <= 0 {
		return nil, nil
	}
	var sum int64
	var all []entry
	for _, s := range folders {
		for _, e := range s.entries() {
			all = append(all, e)
			sum = sum + e.bytes
		}
	}
	slices.SortFunc(all,
		func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path(), b.path())) })
	var errs []error
	for _, e := range all {
		if sum <= keep.Bytes {
			break
		}
		if !keep.Dry {
			gone, err := e.remove()
			if err != nil {
				errs = append(errs, fmt.Errorf("build cache: clean: %w", err))
			}
			if !gone {
				continue
			}
		}
		sum -= e.bytes
		removed := e.counted()
		at := slices.IndexFunc(out, func(r disk.Removed) bool { return r.What == removed.What })
		if at < 0 {
			out, at = append(out, removed), len(out)
		}
		out[at].Bytes += e.bytes
	}
	return out, errors.Join(errs...)
}

// entries lists what can be removed on its own. The tests of a base branch can write the cache, and may have
// replaced a folder by a link, so files are reached through an os.Root and not by their paths.
func (c *cleaning) entries() (out []entry) {
	for folder, pattern := range map[string]string{
		goBuildDir: "[0-9a-f][0-9a-f]", ccacheDir: "[0-9a-f][0-9a-f]", resultsDir: ".",
	} {
		root, err := os.OpenRoot(filepath.Join(c.dir, folder))
		if err != nil {
			continue // nothing was built
		}
		c.open = append(c.open, root)
		tree := disk.PlainFS(root)
		folders, _ := fs.Glob(tree, pattern)
		for _, below := range folders {
			if info, err := fs.Lstat(tree, below); err != nil || !info.IsDir() {
				continue
			}
			files, _ := fs.ReadDir(tree, below)
			for _, f := range files {
				name := path.Join(below, f.Name())
				if info, err := fs.Lstat(tree, name); err == nil && info.Mode().IsRegular() {
					out = append(out,
						entry{root: root, name: name, used: info.ModTime(), bytes: disk.SizeOnDisk(info)})
				}
			}
		}
	}
	for _, k := range packages.List(filepath.Join(c.dir, packagesDir)) {
		if !k.Abandoned() {
			out = append(out, entry{used: k.Used, bytes: k.Bytes, packages: &k})
		}
	}
	return out
}
