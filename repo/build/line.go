package build

import (
	"context"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// An Ending is the result of one command line.
type Ending struct {
	Code    int
	Stopped string // why the sandbox ended the command; empty if it did not
	Output  string // what it printed; the beginning and the end if it is long
}

// RunLine runs one command line in the current files of dir, with the caches read-only and the time limit
// most.
func (c *Checker) RunLine(ctx context.Context, dir, line string, most time.Duration) (Ending, error) {
	if !c.HasSandbox() {
		return Ending{}, ErrNoSandbox
	}
	bound := *c
	bound.Limits.Time = most
	j := treeRun{checker: &bound, cache: c.cacheOrEmpty(), dir: dir}
	release, err := j.cache.pin(ctx)
	if err != nil {
		return Ending{}, err
	}
	defer release()
	o, err := j.runCommand(ctx, line, "")
	text := result.KeepEnds(o.withServices(result.StripTerminal(o.text)), result.MaxText)
	return Ending{Code: o.code, Stopped: o.stopped, Output: text}, err
}
