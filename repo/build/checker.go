package build

import (
	"cmp"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// ErrNoSandbox is returned if there is no sandbox to run commands in.
var ErrNoSandbox = errors.New("test run: there is no sandbox to run the build and the tests in")

// A Checker runs builds and tests. It is safe for concurrent use, also by several processes with the same
// caches.
type Checker struct {
	// Caches are the build caches of all repositories; their Sandbox runs the commands. If it is nil, every
	// run returns ErrNoSandbox.
	Caches Caches
	// Cache is the build cache of one repository, set by For. If it is nil, commands start with empty
	// caches.
	Cache *Cache
	// Limits are the limits of one command. Default: those of the sandbox, with DefaultTime and
	// DefaultMemory.
	Limits sandbox.Limits
	// LimitsOf are the limits of single repositories, by name. For uses them; a zero field means the one of
	// Limits.
	LimitsOf map[string]sandbox.Limits

	// countsOnlyWithoutFlags holds the test commands with a reporter's flags that could be counted only
	// without these flags. For makes it for one repository.
	countsOnlyWithoutFlags *sync.Map
	// needsOneWorker holds the command lines that need too much memory, and whether one worker at a time
	// helps. For makes it for one repository.
	needsOneWorker *sync.Map
	// the results of this Checker's trees, set by For
	seen *seen
	// takes what commands print; nil: nothing does
	logTo io.Writer
	// commands run at the lowest priority
	idle bool
	// keeps the results of fresh trees; nil: nothing does
	journal *Journal
	// is told how far runs are; nil: nobody is
	watch Watch
	// by default watchAfter and watchEvery; tests use short ones
	watchAfter, watchEvery time.Duration
	// the branch or tag that the work starts from, for people; empty: the default branch
	base string
	// of the runs for people, and the result of a run like them; empty: they are of the base
	name string
	like result.Result
}

// AtLowestPriority returns a copy of the Checker whose commands leave the processors to all other programs.
func (c *Checker) AtLowestPriority() *Checker {
	idle := *c
	idle.idle = true
	return &idle
}

// For returns a Checker for the repository of m, with its caches. The new Checker keeps the results of
// NoteTree as long as it exists.
func (c *Checker) For(m *git.Mirror) *Checker {
	bound := *c
	bound.Cache = c.Caches.For(m)
	if m != nil {
		bound.Limits = joinLimits(c.LimitsOf[m.Remote().Name], c.Limits)
	}
	bound.countsOnlyWithoutFlags = &sync.Map{}
	bound.needsOneWorker = &sync.Map{}
	bound.seen = &seen{}
	return &bound
}

// HasSandbox reports whether there is a sandbox to run commands in.
func (c *Checker) HasSandbox() bool { return c.Caches.Sandbox != nil }

// cacheOrEmpty returns the repository's cache, or an empty one.
func (c *Checker) cacheOrEmpty() *Cache {
	if c.Cache == nil {
		return c.Caches.For(nil)
	}
	return c.Cache
}

// limits returns the limits of one command, with all defaults.
func (c *Checker) limits() sandbox.Limits {
	return joinLimits(c.Limits, sandbox.Limits{Time: DefaultTime, Memory: DefaultMemory()}).WithDefaults()
}

// TestLimits are the limits of each command of a build and of tests.
func (c *Checker) TestLimits() result.Limits {
	l := c.limits()
	return result.Limits{
		Time: l.Time, Memory: l.Memory, Processes: l.Processes, Disk: l.Disk, FileSize: l.FileSize,
	}
}

// CommandLimits are the limits of a repository's command besides its time, for commands that run beside the
// builds and tests.
func (c *Checker) CommandLimits() sandbox.Limits {
	l := c.limits()
	return sandbox.Limits{Memory: l.Memory, Processes: l.Processes, Disk: l.Disk, FileSize: l.FileSize}
}

// joinLimits returns the limits with those of otherwise for the zero fields.
func joinLimits(l, otherwise sandbox.Limits) sandbox.Limits {
	return sandbox.Limits{
		Time:      cmp.Or(l.Time, otherwise.Time),
		Memory:    cmp.Or(l.Memory, otherwise.Memory),
		Processes: cmp.Or(l.Processes, otherwise.Processes),
		FileSize:  cmp.Or(l.FileSize, otherwise.FileSize),
		Output:    cmp.Or(l.Output, otherwise.Output),
		Disk:      cmp.Or(l.Disk, otherwise.Disk),
		Files:     cmp.Or(l.Files, otherwise.Files),
	}
}

// noteUncountable notes a test command that could be counted only without the added flags.
func (c *Checker) noteUncountable(line string) {
	if c.countsOnlyWithoutFlags != nil {
		c.countsOnlyWithoutFlags.Store(line, true)
	}
}

// countsWithoutFlags reports whether noteUncountable noted the command.
func (c *Checker) countsWithoutFlags(line string) bool {
	if c.countsOnlyWithoutFlags == nil {
		return false
	}
	_, ok := c.countsOnlyWithoutFlags.Load(line)
	return ok
}
