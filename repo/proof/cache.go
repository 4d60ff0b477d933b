package proof

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
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Where commands see the caches.
const (
	insideBuild  = "/cache/gobuild"
	insideMod    = packages.InsideGo
	insideCargo  = packages.InsideCargo
	insideReport = "/report"
)

// Mounts are what shows a command over the files of tree the caches of m's repository,
// read-only, and the environment that points at them; m may be nil. What the agents run
// uses the same.
func (c *Checker) Mounts(m *repo.Mirror, tree string) ([]sandbox.Mount, []string) {
	return c.mounts(m, tree, false)
}

func (c *Checker) mounts(m *repo.Mirror, tree string, writable bool) ([]sandbox.Mount, []string) {
	// GOFLAGS is left empty so that a module that has a vendor folder uses it.
	env := []string{"GOFLAGS=", "PYTHONDONTWRITEBYTECODE=1"}
	var mounts []sandbox.Mount
	if dir, err := c.buildCache(m); err != nil {
		c.log().Warn("no build cache", "err", err)
	} else if dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideBuild, Writable: writable})
		env = append(env, "GOCACHE="+insideBuild)
		if !writable {
			// Go keeps an index of its own library in the cache, too, and says of a package
			// that is neither indexed nor can be that it does not exist.
			env = append(env, "GODEBUG=goindex=0")
		}
	}
	if dir := c.moduleCache(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideMod})
		env = append(env, "GOMODCACHE="+insideMod)
	}
	if dir := cargoRegistry(); dir != "" {
		mounts = append(mounts, sandbox.Mount{Host: dir, Inside: insideCargo + "/registry"})
		env = append(env, "CARGO_HOME="+insideCargo)
	}
	// What was fetched for the repository stands in for what this machine happens to have.
	fetched, more := c.fetched().Mounts(tree)
	mounts = slices.DeleteFunc(mounts, func(own sandbox.Mount) bool {
		return slices.ContainsFunc(fetched, func(f sandbox.Mount) bool {
			return own.Inside == f.Inside || strings.HasPrefix(own.Inside, f.Inside+"/")
		})
	})
	return append(mounts, fetched...), append(env, more...)
}

// repository is the folder that is kept for m's repository.
func (c *Checker) repository(m *repo.Mirror) (string, error) {
	if c.CacheDir == "" {
		return "", errors.New("check: no cache directory is set")
	}
	r := m.Remote()
	sum := sha256.Sum256([]byte(r.URL))
	dir, err := filepath.Abs(filepath.Join(c.CacheDir, folderName(r.Name)+hex.EncodeToString(sum[:6])))
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

// buildCache is the repository's Go build cache, made where it is missing; empty without
// a repository. Its 256 folders have to be there before Go is shown it read-only.
func (c *Checker) buildCache(m *repo.Mirror) (string, error) {
	if m == nil {
		return "", nil
	}
	dir, err := c.repository(m)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "go-build")
	if _, err := os.Stat(filepath.Join(dir, "ff")); err == nil {
		return dir, nil
	}
	for i := range 256 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("%02x", i)), 0o755); err != nil {
			return "", err
		}
	}
	if c.Sandbox != nil {
		err = c.Sandbox.Own(dir)
	}
	return dir, err
}

// MachineModules is the Go module cache of this machine that commands may read, empty
// when there is none.
func (c *Checker) MachineModules() string { return c.moduleCache() }

// moduleCache is the Go module cache that commands may read, empty when there is none.
func (c *Checker) moduleCache() string {
	dir := c.ModuleCache
	if dir == "" {
		dir = os.Getenv("GOMODCACHE")
	}
	if dir == "" {
		if paths := filepath.SplitList(os.Getenv("GOPATH")); len(paths) > 0 {
			dir = filepath.Join(paths[0], "pkg", "mod")
		}
	}
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, "go", "pkg", "mod")
	}
	return whereReadable(dir)
}

// cargoRegistry is the crates that this machine's cargo has fetched. The rest of its
// home holds credentials and is never shown.
func cargoRegistry() string {
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		home = filepath.Join(user, ".cargo")
	}
	return whereReadable(filepath.Join(home, "registry"))
}

// whereReadable is dir if it is a folder that can be shown.
func whereReadable(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	if _, err := os.ReadDir(dir); err != nil {
		return ""
	}
	return dir
}

// lockEvery is how often a lock that somebody holds is tried again.
const lockEvery = 50 * time.Millisecond

// lock waits until nobody else, in this process or another, holds the file.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("check: lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// workDir is a new folder for trees that are run; done removes it with all that commands
// left in it.
func (c *Checker) workDir(m *repo.Mirror) (dir string, done func(), err error) {
	above := c.CacheDir
	if m != nil {
		if above, err = c.repository(m); err != nil {
			return "", nil, err
		}
	} else if above == "" {
		above = os.TempDir()
	}
	if err := os.MkdirAll(above, 0o755); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(above, "work-")
	if err != nil {
		return "", nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	return dir, func() { c.remove(dir) }, nil
}

// remove removes a folder, also where a command took the right to do so away.
func (c *Checker) remove(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	if root, err := os.OpenRoot(dir); err == nil {
		fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error { //nolint:errcheck // what is left is said below
			if d != nil && d.IsDir() {
				root.Chmod(name, 0o700) //nolint:errcheck // as above
			}
			return nil
		})
		root.Close()
	}
	if err := os.RemoveAll(dir); err != nil {
		c.log().Warn("a work folder stays", "dir", dir, "err", err)
	}
}
