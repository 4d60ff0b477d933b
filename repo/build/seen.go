package build

import (
	"maps"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// maxSeen is how many results are kept; the oldest are dropped first.
const maxSeen = 8

// A seen keeps the results of whole trees, for one Checker of a repository.
type seen struct {
	mu    sync.Mutex
	runs  []seenRun
	ended string // the key of the newest run, if it ended after its near tests
}

type seenRun struct {
	key    string
	result result.Result
	mixed  bool // another run of the same tree had another result
}

// NoteTree keeps the result r of a fresh tree, for KnownTree. A run that was stopped or did not start is
// not kept.
func (c *Checker) NoteTree(base, tree string, r result.Result) {
	if c.seen == nil || tree == "" {
		return
	}
	key := c.seenKey(base, tree, r.Project)
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	c.seen.ended = ""
	if r.Stopped == result.StoppedNear {
		c.seen.ended = key
	}
	if r.Stopped != "" || r.Missing != (result.Missing{}) {
		return
	}
	for i, s := range c.seen.runs {
		if s.key == key {
			c.seen.runs[i].mixed = s.mixed || !sameOutcome(s.result, r)
			return
		}
	}
	c.seen.runs = append(c.seen.runs, seenRun{key: key, result: r})
	if more := len(c.seen.runs) - maxSeen; more > 0 {
		c.seen.runs = c.seen.runs[more:]
	}
}

// KnownTree returns the result of exactly this tree, with the same base, commands and packages. It returns
// false if there is none, or if two runs differed.
func (c *Checker) KnownTree(base, tree string, p project.Project) (result.Result, bool) {
	if c.seen == nil {
		return result.Result{}, false
	}
	key := c.seenKey(base, tree, p)
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	for _, s := range c.seen.runs {
		if s.key == key && !s.mixed {
			return s.result, true
		}
	}
	return result.Result{}, false
}

// EndedNear reports whether the newest run given to NoteTree was of exactly this tree and ended after the
// tests near the change.
func (c *Checker) EndedNear(base, tree string, p project.Project) bool {
	if c.seen == nil {
		return false
	}
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	return c.seen.ended == c.seenKey(base, tree, p)
}

func (c *Checker) seenKey(base, tree string, p project.Project) string {
	return strings.Join([]string{base, tree, p.Kind, p.Build, p.Test, c.cacheOrEmpty().packagesKey()}, "\x00")
}

// sameOutcome reports whether two runs have the same result for each test, in any order.
func sameOutcome(a, b result.Result) bool {
	if a.BuildOK != b.BuildOK || a.TestsOK != b.TestsOK || a.ExitCode != b.ExitCode ||
		len(a.Tests) != len(b.Tests) {
		return false
	}
	return maps.Equal(result.CountByName(a.Tests), result.CountByName(b.Tests))
}
