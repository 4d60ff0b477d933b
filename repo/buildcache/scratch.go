package buildcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// insideBase is where commands with a cache of their own see the repository's.
const insideBase = "/cache/gobase"

// scratchPrefix begins the name of a cache that is being made.
const scratchPrefix = "cache-"

// ScratchMounts are Mounts for what agents run: with a Go build cache in dir that commands
// may write, so that what one command compiled the next need not. Every entry of the
// repository's own cache is a link in it, to where that is shown read-only: nothing is built
// twice, and what a command writes is seen by no proof and by no other session.
func (c *Cache) ScratchMounts(tree, dir string) ([]sandbox.Mount, []string, error) {
	mounts, env := c.Mounts(tree)
	base, err := c.goBuild()
	if err != nil || base == "" {
		return mounts, env, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := c.caches.linkCache(base, dir); err != nil {
			return nil, nil, fmt.Errorf("build cache: link one for commands: %w", err)
		}
	}
	for i := range mounts {
		if mounts[i].Inside == insideBuild {
			mounts[i].Inside = insideBase
		}
	}
	return append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: true}), env, nil
}

// linkCache makes dir appear whole: a cache whose entries are links into the base's, by
// the path that commands know it under.
func (c *Caches) linkCache(base, dir string) error {
	target := insideBase
	if c.Sandbox.Kind() == sandbox.KindNone { // nothing is mounted there
		target = base
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), scratchPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(making) // gone already where all went well
	if err := os.Chmod(making, 0o755); err != nil {
		return err
	}
	cache, err := os.OpenRoot(base) // which tests of the base branch have written
	if err != nil {
		return err
	}
	defer cache.Close()
	folders, err := fs.ReadDir(disk.PlainFS(cache), ".")
	if err != nil {
		return err
	}
	folders = slices.DeleteFunc(folders, func(d os.DirEntry) bool { return !d.IsDir() })
	for _, d := range folders {
		if err := os.Mkdir(filepath.Join(making, d.Name()), 0o755); err != nil {
			return err
		}
	}
	// Go need not look for old entries to throw away.
	if err := os.WriteFile(filepath.Join(making, "trim.txt"), fmt.Append(nil, time.Now().Unix()), 0o644); err != nil {
		return err
	}
	// Handed over before it is filled: whoever owns the folders may replace the links.
	if err := c.Sandbox.Own(making); err != nil {
		return err
	}
	for _, d := range folders {
		if err := linkEntries(cache, d.Name(), filepath.Join(target, d.Name()), filepath.Join(making, d.Name())); err != nil {
			return err
		}
	}
	return os.Rename(making, dir)
}

// linkEntries makes links in dir to what is in a folder of the cache, which commands know as
// target.
func linkEntries(cache *os.Root, folder, target, dir string) error {
	f, err := disk.PlainFS(cache).Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.(*os.File).Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Symlink(filepath.Join(target, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
