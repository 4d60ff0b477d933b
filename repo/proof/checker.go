package proof

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// ErrNoSandbox is given where there is nothing to run commands in.
var ErrNoSandbox = errors.New("check: there is no sandbox to run the build and the tests in")

// A Checker runs builds and tests. It is safe for concurrent use, also by several
// processes over the same CacheDir.
type Checker struct {
	Sandbox  *sandbox.Sandbox // nil: Run and Baseline give ErrNoSandbox, Prove says so
	CacheDir string           // what is kept between runs; the program's own
	Log      *slog.Logger     // default: discarded
	// Limits of one command. Default: the sandbox's own, but 10 minutes.
	Limits sandbox.Limits
	// ModuleCache is a Go module cache of this machine that commands may read; "-" for
	// none. Default: the one of the user that the program runs as, where it exists.
	ModuleCache string

	// Setup fetches what repositories name; nil: nothing is fetched.
	Setup *packages.Fetcher

	mirror   *repo.Mirror                       // whose caches Run uses
	packages *atomic.Pointer[packages.Packages] // of Use
}

// Fetch fetches the packages that a commit of the base branch names, unless they are there;
// nil where there are none. Whoever has them closes them. begin may be nil, and is called
// with the files that name them where there is something to wait for.
func (c *Checker) Fetch(ctx context.Context, m *repo.Mirror, commit string, how packages.Config, begin func(names string)) (*packages.Packages, error) {
	if c.Setup == nil {
		return nil, nil
	}
	done, err := c.using(m)
	if err != nil {
		return nil, err
	}
	defer done()
	dir, err := c.repository(m)
	if err != nil {
		return nil, err
	}
	return c.Setup.Fetch(ctx, packages.Job{Mirror: m, Commit: commit, Config: how, Dir: filepath.Join(dir, packagesDir), Begin: begin})
}

// packagesDir is where a repository's packages are kept, in its folder.
const packagesDir = "packages"

// Use shows the commands of a checker that For made these packages, too, from now on.
func (c *Checker) Use(p *packages.Packages) { c.packages.Store(p) }

// fetched are those of Use; nil for none.
func (c *Checker) fetched() *packages.Packages {
	if c.packages == nil {
		return nil
	}
	return c.packages.Load()
}

// For is the checker with the caches of m's repository, which Run has no other way to
// know, and with packages of its own, none at first. Without it Run begins with empty caches.
func (c *Checker) For(m *repo.Mirror) *Checker {
	bound := *c
	bound.mirror, bound.packages = m, &atomic.Pointer[packages.Packages]{}
	return &bound
}

func (c *Checker) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

func (c *Checker) limits() sandbox.Limits {
	l := c.Limits
	if l.Time == 0 {
		l.Time = 10 * time.Minute
	}
	return l
}
