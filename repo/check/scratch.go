package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// insideBase is where commands with a cache of their own see the repository's.
const insideBase = "/cache/gobase"

// Scratch is Mounts for what agents run: with a Go build cache in dir that commands may
// write. Without one `go run` and `go build` of a program fail, since Go keeps the
// programs that it links there. Every entry of the repository's own cache is a link in
// it, to where that is shown read-only: nothing is built twice, and what a command
// writes is seen by no proof and by no other session.
func (c *Checker) Scratch(m *repo.Mirror, dir string) ([]sandbox.Mount, []string, error) {
	mounts, env := c.Mounts(m)
	base, err := c.buildCache(m)
	if err != nil || base == "" {
		return mounts, env, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := c.linkCache(base, dir); err != nil {
			return nil, nil, fmt.Errorf("check: a build cache for commands: %w", err)
		}
	}
	for i := range mounts {
		if mounts[i].Inside == insideBuild {
			mounts[i].Inside = insideBase
		}
	}
	return append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: true}), env, nil
}

// cacheFor are the caches of one run of ours. Other than the baseline's it has a
// writable build cache as well, made for it alone and thrown away after: Go takes a
// package of its library that is not in a read-only cache yet for one that does not exist.
func (c *Checker) cacheFor(j job) (mounts []sandbox.Mount, env []string, done func(), err error) {
	if j.writable || j.mirror == nil {
		mounts, env = c.mounts(j.mirror, j.writable)
		return mounts, env, func() {}, nil
	}
	work, done, err := c.workDir(j.mirror)
	if err != nil {
		return nil, nil, nil, err
	}
	if mounts, env, err = c.Scratch(j.mirror, filepath.Join(work, "build-cache")); err != nil {
		done()
	}
	return mounts, env, done, err
}

// linkCache makes dir appear whole: a cache whose entries are links into the base's, by
// the path that commands know it under.
func (c *Checker) linkCache(base, dir string) error {
	target := insideBase
	if c.Sandbox.Kind() == sandbox.KindNone { // nothing is mounted there
		target = base
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), "cache-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making) // gone already where all went well
	if err := os.Chmod(making, 0o755); err != nil {
		return err
	}
	err = fs.WalkDir(os.DirFS(base), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			return os.Mkdir(filepath.Join(making, name), 0o755)
		}
		return os.Symlink(filepath.Join(target, name), filepath.Join(making, name))
	})
	if err != nil {
		return err
	}
	if err := c.Sandbox.Own(making); err != nil {
		return err
	}
	return os.Rename(making, dir)
}
