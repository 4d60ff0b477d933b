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

// insideBase is the path in the sandbox of the repository's cache for commands with a scratch cache.
const insideBase = "/cache/gobase"

// scratchPrefix is the prefix of the name of a scratch cache that is not complete yet.
const scratchPrefix = "cache-"

// ScratchMounts is like Mounts, but for commands of agents: dir holds a Go build cache that they can write,
// so that a command need not compile again what an earlier one compiled. Every entry of the repository's
// cache is a link in dir to the read-only mount of that cache, so nothing is built twice. No proof and no
// other session sees what a command writes.
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

// linkCache creates the scratch cache dir by a rename, unless another call has created it meanwhile. Its
// entries are links to the entries of the cache base, with the path that base has inside the sandbox.
func (c *Caches) linkCache(base, dir string) error {
	target := insideBase
	if c.Sandbox.Kind() == sandbox.KindNone { // without a sandbox there are no mounts
		target = base
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), scratchPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(making) // does nothing after the rename
	if err := os.Chmod(making, 0o755); err != nil {
		return err
	}
	cache, err := os.OpenRoot(base) // the tests of the base branch may have written it
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
	// With a recent trim.txt, Go does not look for old entries to remove.
	if err := os.WriteFile(filepath.Join(making, "trim.txt"), fmt.Append(nil, time.Now().Unix()), 0o644); err != nil {
		return err
	}
	// Own comes before the links are made: the owner of the folders can replace the links.
	if err := c.Sandbox.Own(making); err != nil {
		return err
	}
	for _, d := range folders {
		if err := linkEntries(cache, d.Name(), filepath.Join(target, d.Name()), filepath.Join(making, d.Name())); err != nil {
			return err
		}
	}
	err = os.Rename(making, dir)
	if info, missing := os.Lstat(dir); missing == nil && info.IsDir() { // agents that work side by side share it
		return nil
	}
	return err
}

// linkEntries creates in dir a link for each entry of a folder of the cache. The links point below target.
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
