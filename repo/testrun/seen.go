package testrun

import (
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
)

// mostSeen is how many runs are kept; the newest trees are asked for again.
const mostSeen = 8

// seen keeps what runs of whole trees came to, for one user of a repository's checker.
type seen struct {
	mu    sync.Mutex
	runs  []seenRun
	ended string // the newest run, if it ended with its near tests
}

type seenRun struct {
	key    string
	result result.Result
	mixed  bool // another run of the same came to something else
}

// NoteTree keeps what a fresh tree came to, written by RunTree. What was not run to its end, or
// did not start, is not kept.
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
	if more := len(c.seen.runs) - mostSeen; more > 0 {
		c.seen.runs = c.seen.runs[more:]
	}
}

// KnownTree is what exactly this tree came to, over the same base, with the same commands and
// packages; false where that is not known, or where two runs differed.
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

// EndedNear reports whether the newest run that NoteTree was told of is of exactly this tree, and
// ended with the tests near the change.
func (c *Checker) EndedNear(base, tree string, p project.Project) bool {
	if c.seen == nil {
		return false
	}
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	return c.seen.ended == c.seenKey(base, tree, p)
}

func (c *Checker) seenKey(base, tree string, p project.Project) string {
	return strings.Join([]string{base, tree, p.Kind, p.Build, p.Test, c.cacheOrEmpty().PackagesKey()}, "\x00")
}

// sameOutcome reports whether two runs say the same of each test.
func sameOutcome(a, b result.Result) bool {
	if a.BuildOK != b.BuildOK || a.TestsOK != b.TestsOK || a.ExitCode != b.ExitCode || len(a.Tests) != len(b.Tests) {
		return false
	}
	status := map[string]result.Status{}
	for _, t := range a.Tests {
		status[t.Group+"\x00"+t.Name] = t.Status
	}
	for _, t := range b.Tests {
		if s, known := status[t.Group+"\x00"+t.Name]; !known || s != t.Status {
			return false
		}
	}
	return true
}
