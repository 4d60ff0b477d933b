package buildcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Cache is what is kept for one repository.
type Cache struct {
	caches  *Caches
	mirror  *repo.Mirror // nil: there is no repository
	fetched atomic.Pointer[packages.Packages]
}

// Mirror is the repository's; nil for none.
func (c *Cache) Mirror() *repo.Mirror { return c.mirror }

// FetchPackages fetches the packages that a commit of the base branch names, unless they are
// there; nil where there are none. Whoever has them closes them. begin may be nil, and is
// called with the files that name them where there is something to wait for.
func (c *Cache) FetchPackages(ctx context.Context, commit string, how packages.Config, begin func(names string)) (*packages.Packages, error) {
	if c.caches.Packages == nil {
		return nil, nil
	}
	release, err := c.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	return c.caches.Packages.Fetch(ctx, packages.Job{Commits: c.mirror.Commits(), Commit: commit, Config: how, Dir: filepath.Join(dir, packagesDir), Begin: begin})
}

// UsePackages shows these packages to commands, too, from now on.
func (c *Cache) UsePackages(p *packages.Packages) { c.fetched.Store(p) }

// PackagesKey names the packages of UsePackages; empty for none.
func (c *Cache) PackagesKey() string { return c.fetched.Load().Key() }

// Where commands see the caches.
const (
	insideBuild = "/cache/gobuild"
	insideMod   = packages.InsideGo
	insideCargo = packages.InsideCargo
)

// The parts of a repository's folder.
const (
	goBuildDir  = "go-build"
	resultsDir  = "results"
	packagesDir = "packages"
	workPrefix  = "work-"
	inUseFile   = "in-use" // its lock is shared by all that build there
	lockFile    = "lock"
)

// Mounts show a command over the files of tree the repository's caches, read-only, with the
// environment that points at them.
func (c *Cache) Mounts(tree string) ([]sandbox.Mount, []string) { return c.mounts(tree, false) }

// WritableMounts are Mounts whose build cache the command may write.
func (c *Cache) WritableMounts(tree string) ([]sandbox.Mount, []string) { return c.mounts(tree, true) }

func (c *Cache) mounts(tree string, writable bool) ([]sandbox.Mount, []string) {
	env := []string{"PYTHONDONTWRITEBYTECODE=1"}
	var mounts []sandbox.Mount
	if dir, err := c.goBuild(); err != nil {
		c.caches.log().Warn("no build cache", "err", err)
	} else if dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: writable})
		env = append(env, "GOCACHE="+insideBuild)
		if !writable {
			// Go keeps an index of its own library in the cache, too, and says of a package
			// that is neither indexed nor can be that it does not exist.
			env = append(env, "GODEBUG=goindex=0")
		}
	}
	if dir := c.caches.GoModules(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideMod})
		env = append(env, "GOMODCACHE="+insideMod)
	}
	if dir := cargoRegistry(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideCargo + "/registry"})
		env = append(env, "CARGO_HOME="+insideCargo)
	}
	// What was fetched for the repository stands in for what this machine happens to have.
	fetched, more := c.fetched.Load().Mounts(tree)
	mounts = slices.DeleteFunc(mounts, func(own sandbox.Mount) bool {
		return slices.ContainsFunc(fetched, func(f sandbox.Mount) bool {
			return own.Inside == f.Inside || strings.HasPrefix(own.Inside, f.Inside+"/")
		})
	})
	return append(mounts, fetched...), append(env, more...)
}

// folder is the repository's, made where it is missing.
func (c *Cache) folder() (string, error) {
	if c.caches.Dir == "" {
		return "", errors.New("build cache: no folder for caches is set")
	}
	r := c.mirror.Remote()
	sum := sha256.Sum256([]byte(r.URL))
	dir, err := filepath.Abs(filepath.Join(c.caches.Dir, folderName(r.Name)+hex.EncodeToString(sum[:6])))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// folderName is as much of a repository's name as can be in a folder's.
func folderName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if safe == "" {
		return ""
	}
	return safe[:min(len(safe), 40)] + "-"
}

// goBuild is the repository's Go build cache, made where it is missing; empty without a
// repository. Its 256 folders have to be there before Go is shown it read-only.
func (c *Cache) goBuild() (string, error) {
	if c.mirror == nil {
		return "", nil
	}
	dir, err := c.folder()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, goBuildDir)
	if _, err := os.Stat(filepath.Join(dir, "ff")); err == nil {
		return dir, nil
	}
	for i := range 256 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("%02x", i)), 0o755); err != nil {
			return "", err
		}
	}
	if c.caches.Sandbox != nil {
		err = c.caches.Sandbox.Own(dir)
	}
	return dir, err
}

// Hold keeps the repository's folder from being cleaned until release is called, and marks it
// as used.
func (c *Cache) Hold(ctx context.Context) (release func(), err error) {
	if c.mirror == nil || c.caches.Dir == "" {
		return func() {}, nil
	}
	for {
		dir, err := c.folder()
		if err != nil {
			return nil, err
		}
		held, err := filelock.Shared(ctx, filepath.Join(dir, inUseFile))
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed whole this moment
			continue
		case err != nil:
			return nil, fmt.Errorf("build cache: %w", err)
		case held.Current():
			held.Touch()
			return held.Release, nil
		}
		held.Release()
	}
}

// ResultFile is where a result of that name is remembered.
func (c *Cache) ResultFile(name string) (string, error) {
	dir, err := c.folder()
	return filepath.Join(dir, resultsDir, name), err
}

// LockBase waits until nobody else, in this process or another, runs the base.
func (c *Cache) LockBase(ctx context.Context) (unlock func(), err error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	held, err := filelock.Exclusive(ctx, filepath.Join(dir, lockFile))
	return held.Release, err
}

// WorkFolder makes a folder for trees that are run; remove removes it with all that commands
// left in it, also where one took the right to do so away.
func (c *Cache) WorkFolder() (dir string, remove func(), err error) {
	above := c.caches.Dir
	if c.mirror != nil {
		if above, err = c.folder(); err != nil {
			return "", nil, err
		}
	} else if above == "" {
		above = os.TempDir()
	}
	if err := os.MkdirAll(above, 0o755); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(above, workPrefix); err != nil {
		return "", nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	return dir, func() {
		if err := disk.RemoveFolder(dir); err != nil {
			c.caches.log().Warn("a work folder stays", "dir", dir, "err", err)
		}
	}, nil
}
