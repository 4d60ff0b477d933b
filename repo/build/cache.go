package build

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

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A Cache is the part of Caches that belongs to one repository.
type Cache struct {
	caches  *Caches
	mirror  *git.Mirror // nil: no repository
	fetched atomic.Pointer[packages.Packages]

	goEntries   atomic.Pointer[goEntries] // as they were read last; nil: never
	environment atomic.Pointer[usedEnvironment]
	box         atomic.Pointer[sandbox.Sandbox] // of UseEnvironment; nil: that of caches
}

// Mirror returns the mirror of the repository, or nil if there is no repository.
func (c *Cache) Mirror() *git.Mirror { return c.mirror }

// FetchPackages fetches the packages that a commit of the base branch names, unless they were fetched before.
// It returns nil if there are none. The caller closes them. If a fetch is needed, begin is called first with
// the names of the files that name the packages; begin may be nil.
func (c *Cache) FetchPackages(
	ctx context.Context, commit string, how packages.Config, begin func(names string),
) (*packages.Packages, error) {
	if c.caches.Packages == nil {
		return nil, nil
	}
	job, release, err := c.packagesJob(ctx, commit, how)
	if err != nil {
		return nil, err
	}
	defer release()
	job.Begin = begin
	return c.caches.Packages.Fetch(ctx, job)
}

// packagesJob returns what to fetch for a commit. The caller releases the repository's folder.
func (c *Cache) packagesJob(
	ctx context.Context, commit string, how packages.Config,
) (packages.Job, func(), error) {
	release, err := c.pin(ctx)
	if err != nil {
		return packages.Job{}, nil, err
	}
	dir, err := c.folder()
	if err != nil {
		release()
		return packages.Job{}, nil, err
	}
	how.Tools = c.usedTools()
	return packages.Job{
		Commits: c.mirror.Commits(),
		Commit:  commit,
		Config:  how,
		Remote:  c.mirror.Remote(),
		Dir:     filepath.Join(dir, packagesDir),
	}, release, nil
}

// Bump has the package manager change the version of a package in copies of the files of a workspace, and
// fetches the packages of the new lock file, for all trees with that lock file. It writes nothing into the
// workspace. commit is the base.
func (c *Cache) Bump(
	ctx context.Context, commit string, how packages.Config, files fs.FS, b packages.Bump,
) (packages.Bumped, error) {
	if c.caches.Packages == nil {
		return packages.Bumped{}, &packages.BumpError{Why: "no packages are fetched here"}
	}
	job, release, err := c.packagesJob(ctx, commit, how)
	if err != nil {
		return packages.Bumped{}, err
	}
	defer release()
	return c.caches.Packages.Bump(ctx, job, files, b, c.fetched.Load())
}

// ReopenBumped adds the packages that Bump fetched before for the lock files of a workspace.
func (c *Cache) ReopenBumped(ctx context.Context, commit string, how packages.Config, files fs.FS) error {
	if c.caches.Packages == nil {
		return nil
	}
	job, release, err := c.packagesJob(ctx, commit, how)
	if err != nil {
		return err
	}
	defer release()
	return c.caches.Packages.Reopen(ctx, job, files, c.fetched.Load())
}

// UsePackages adds the packages to all mounts from now on.
func (c *Cache) UsePackages(p *packages.Packages) { c.fetched.Store(p) }

// packagesKey returns the key of the packages of UsePackages, or an empty string if there are none.
func (c *Cache) packagesKey() string { return c.fetched.Load().Key() }

// absentPaths returns the files of the repository that could not be fetched, as Packages.Absent has them.
func (c *Cache) absentPaths() []string { return c.fetched.Load().Absent() }

// Paths of the caches inside a sandbox.
const (
	insideBuild = "/cache/gobuild"
	insideMod   = packages.InsideGo
	insideCargo = packages.InsideCargo
)

// Names of files and folders in a repository's folder.
const (
	goBuildDir  = "go-build"
	resultsDir  = "results"
	packagesDir = "packages"
	workPrefix  = "work-"
	inUseFile   = "in-use" // its lock is shared by all running builds
	lockFile    = "lock"
)

// collectAll makes pytest run the other tests if one file cannot be imported, as the other runners do.
// Without it one such file on the base leaves nothing to compare with. See
// https://docs.pytest.org/en/stable/reference/reference.html#envvar-PYTEST_ADDOPTS.
const collectAll = "PYTEST_ADDOPTS=--continue-on-collection-errors"

// Mounts returns the mounts that show the repository's caches to a command, read-only, and the environment
// variables that point to them. tree is the folder of the files that the command works in.
func (c *Cache) Mounts(tree string) ([]sandbox.Mount, []string) { return c.mounts(tree, false) }

// WritableMounts is like Mounts, but the command can write the build cache.
func (c *Cache) WritableMounts(tree string) ([]sandbox.Mount, []string) { return c.mounts(tree, true) }

func (c *Cache) mounts(tree string, writable bool) ([]sandbox.Mount, []string) {
	env := []string{"PYTHONDONTWRITEBYTECODE=1", collectAll}
	if usesPnpm(tree) { // newer versions of npm complain of a setting that they do not know
		env = append(env, packages.InstalledPnpm)
	}
	var mounts []sandbox.Mount
	if dir, err := c.goBuild(); err != nil {
		c.caches.log().Warn("no build cache", "err", err)
	} else if dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: writable})
		env = append(env, "GOCACHE="+insideBuild)
		env = append(env, "GODEBUG="+goIndex(writable))
	}
	if more, vars, err := c.ccacheMounts(writable); err != nil {
		c.caches.log().Warn("no cache of compiled C", "err", err)
	} else {
		mounts = append(mounts, more...)
		env = append(env, vars...)
	}
	if dir := c.caches.GoModules(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideMod})
		env = append(env, "GOMODCACHE="+insideMod)
	}
	if dir := cargoRegistry(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideCargo + "/registry"})
		env = append(env, "CARGO_HOME="+insideCargo)
	}
	// Packages that were fetched for the repository replace the mounts of this machine's packages.
	fetched, more := c.fetched.Load().Mounts(tree)
	mounts = slices.DeleteFunc(mounts, func(own sandbox.Mount) bool {
		return slices.ContainsFunc(fetched, func(f sandbox.Mount) bool {
			return own.Inside == f.Inside || strings.HasPrefix(own.Inside, f.Inside+"/")
		})
	})
	return append(mounts, fetched...), append(env, more...)
}

// usesPnpm reports whether pnpm installs the packages of a tree.
func usesPnpm(tree string) bool {
	_, err := os.Lstat(filepath.Join(tree, "pnpm-lock.yaml"))
	return tree != "" && err == nil
}

// goIndex returns the setting of GODEBUG for a build cache. In the cache Go also stores an index of
// each package's imports, which saves half the time of a go command that builds nothing. If a package
// is not in the index and the cache is read-only, Go says that the package does not exist: then it
// has to work without the index.
func goIndex(writable bool) string {
	if writable {
		return "goindex=1"
	}
	return "goindex=0"
}

// folder returns the repository's folder, and creates it if it does not exist.
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

// folderName returns the start of the repository's folder name: at most 40 characters of its name, all of
// them safe.
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

// goBuild returns the folder of the repository's Go build cache, or an empty string without a repository. It
// creates the folder with its 256 subfolders, which must exist before the cache is mounted read-only. Another
// call sees the folder only when commands can write to it: a build in a folder that is not theirs yet fails.
func (c *Cache) goBuild() (string, error) {
	if c.mirror == nil {
		return "", nil
	}
	folder, err := c.folder()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(folder, goBuildDir)
	if hasGoFolders(dir) {
		return dir, nil
	}
	making, err := os.MkdirTemp(folder, workPrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making) // does nothing after the rename
	if err := c.makeGoFolders(making); err != nil {
		return "", err
	}
	err = os.Rename(making, dir)
	switch {
	case err == nil || hasGoFolders(dir): // this call has made the folder, or another one meanwhile
		return dir, nil
	case errors.Is(err, fs.ErrExist): // the base's commands may have removed subfolders: go clean -cache does
		return dir, c.makeGoFolders(dir)
	}
	return "", err
}

// hasGoFolders reports whether a Go build cache has the last of its subfolders, which is made last.
func hasGoFolders(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "ff"))
	return err == nil
}

// makeGoFolders makes the subfolders of a Go build cache that are missing, and gives
// all to the user of commands.
func (c *Cache) makeGoFolders(dir string) error {
	for i := range 256 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("%02x", i)), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if c.caches.Sandbox == nil {
		return nil
	}
	return c.caches.Sandbox.Own(dir)
}

// pin protects the repository's folder from Clean until release is called, and marks the folder as used.
func (c *Cache) pin(ctx context.Context) (release func(), err error) {
	if c.mirror == nil || c.caches.Dir == "" {
		return func() {}, nil
	}
	for {
		dir, err := c.folder()
		if err != nil {
			return nil, err
		}
		held, err := disk.Shared(ctx, filepath.Join(dir, inUseFile))
		switch {
		case errors.Is(err, fs.ErrNotExist): // Clean has just removed the folder
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

// resultFile returns the path of the file that stores the result with that name.
func (c *Cache) resultFile(name string) (string, error) {
	dir, err := c.folder()
	return filepath.Join(dir, resultsDir, name), err
}

// lockBase waits until no other caller, in this process or another one, builds and tests the base branch.
func (c *Cache) lockBase(ctx context.Context) (unlock func(), err error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	held, err := disk.Exclusive(ctx, filepath.Join(dir, lockFile))
	return held.Release, err
}

// WorkFolder creates a temporary folder for trees that are built and tested. remove removes it with
// everything that commands left in it, even if a command removed the permission to do so.
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
