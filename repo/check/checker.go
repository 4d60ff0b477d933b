package check

import (
	"errors"
	"log/slog"
	"time"

	"github.com/bobbinhq/bobbin/repo"
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

	mirror *repo.Mirror // whose caches Run uses
}

// For is the checker with the caches of m's repository, which Run has no other way to
// know. Without it Run begins with empty ones.
func (c *Checker) For(m *repo.Mirror) *Checker {
	bound := *c
	bound.mirror = m
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
