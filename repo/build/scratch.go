package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// insideBase is the path in the sandbox of the repository's cache for commands with a scratch cache.
const insideBase = "/cache/gobase"

// scratchPrefix is the prefix of the name of a scratch cache that is not complete yet.
const scratchPrefix = "cache-"

// ScratchMounts is like Mounts, but dir holds a Go build cache that the command can write, so that it need
// not compile again what an earlier one with the same dir compiled; jest has a cache beside it. If dir does
// not exist, it is made, with links to the complete entries of the repository's cache, so nothing is built
// twice. No command with another dir sees what is written.
func (c *Cache) ScratchMounts(tree, dir string) ([]sandbox.Mount, []string, error) {
	mounts, env := c.Mounts(tree)
	base, err := c.goBuild()
	if err != nil || base == "" {
		return mounts, env, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := c.linkCache(base, dir); err != nil {
			return nil, nil, fmt.Errorf("build cache: link one for commands: %w", err)
		}
	}
	for i := range mounts {
		if mounts[i].Inside == insideBuild {
			mounts[i].Inside = insideBase
		}
	}
	env = append(env, "GODEBUG="+goIndex(true), "CCACHE_DIR="+insideBuild+"/ccache") // the last ones count
	mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: true})
	more, err := c.jestMounts(dir + "-jest")
	return append(mounts, more...), env, err
}

// jestMounts returns the mount of a folder that the command can write where jest keeps the files that it has
// transformed, unless its configuration names another place
// (https://jestjs.io/docs/configuration#cachedirectory-string). The folder is beside those that commands can
// write, so that none of them can put a link in its place.
func (c *Cache) jestMounts(dir string) ([]sandbox.Mount, error) {
	box := c.Sandbox()
	if box == nil || box.Kind() == sandbox.KindNone {
		return nil, nil
	}
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = box.Own(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("build cache: make one for jest: %w", err)
	}
	inside := "/tmp/jest_" + strconv.FormatInt(int64(box.User()), 36)
	return []sandbox.Mount{{Host: dir, Inside: inside, Writable: true}}, nil
}

// linkCache creates the scratch cache dir by a rename, unless another call has created it meanwhile.
// It has the entries of the cache base, which a command may be writing. Links have the path that
// base has inside the sandbox.
func (c *Cache) linkCache(base, dir string) error {
	target := insideBase
	box := c.caches.Sandbox
	if box.Kind() == sandbox.KindNone { // without a sandbox there are no mounts
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
	read, err := readAgain(c.goEntries.Load(), disk.PlainFS(cache))
	if err != nil {
		return err
	}
	c.goEntries.Store(read)
	// With a recent trim.txt, Go does not look for old entries to remove.
	if err := os.WriteFile(filepath.Join(making, "trim.txt"), fmt.Append(nil, time.Now().Unix()),
		0o644); err != nil {
		return err
	}
	// Own comes before the links are made: the owner of the folders can replace the links.
	if err := writeGoEntries(read.entries, making, target, box.Own); err != nil {
		return err
	}
	err = os.Rename(making, dir)
	if info, missing := os.Lstat(dir); missing == nil && info.IsDir() {
		// agents that work side by side share it
		return nil
	}
	return err
}
