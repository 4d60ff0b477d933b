package testrun

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// ErrNoSandbox is given where there is nothing to run commands in.
var ErrNoSandbox = errors.New("test run: there is no sandbox to run the build and the tests in")

// A Checker runs builds and tests. It is safe for concurrent use, also by several
// processes over the same caches.
type Checker struct {
	// Caches are of all repositories; their Sandbox runs the commands. Without one every run
	// gives ErrNoSandbox.
	Caches buildcache.Caches
	// Cache is of one repository, set by For; nil: commands begin with empty caches.
	Cache *buildcache.Cache
	// Limits of one command. Default: the sandbox's own, but 10 minutes.
	Limits sandbox.Limits

	// written holds the test commands, as they are with a reporter's flags, that could be counted
	// only without them. Made by For: a repository's own.
	written *sync.Map
	seen    *seen // of this user of Cache, set by For
}

// For is the checker of m's repository, with its caches. It remembers what trees came to (NoteTree)
// for as long as it is used.
func (c *Checker) For(m *repo.Mirror) *Checker {
	bound := *c
	bound.Cache, bound.written, bound.seen = c.Caches.For(m), &sync.Map{}, &seen{}
	return &bound
}

// HasSandbox reports whether there is something to run commands in.
func (c *Checker) HasSandbox() bool { return c.Caches.Sandbox != nil }

// cacheOrEmpty is the repository's, or an empty one.
func (c *Checker) cacheOrEmpty() *buildcache.Cache {
	if c.Cache == nil {
		return c.Caches.For(nil)
	}
	return c.Cache
}

func (c *Checker) limits() sandbox.Limits {
	l := c.Limits
	if l.Time == 0 {
		l.Time = 10 * time.Minute
	}
	return l
}

func (c *Checker) log() *slog.Logger {
	if c.Caches.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Caches.Log
}

// learnFlags remembers a test command that could be counted only without what was added to it.
func (c *Checker) learnFlags(line string) {
	if c.written != nil {
		c.written.Store(line, true)
	}
}

// countsWithoutFlags reports whether it is such a command.
func (c *Checker) countsWithoutFlags(line string) bool {
	if c.written == nil {
		return false
	}
	_, ok := c.written.Load(line)
	return ok
}
