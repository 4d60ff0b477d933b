package testrun

import (
	"context"
	"time"
)

// An Ending is how one command line ended.
type Ending struct {
	Code    int
	Stopped string // why the sandbox ended it
}

// RunLine runs one command line in dir as it stands, with the caches read-only, for at most so
// long.
func (c *Checker) RunLine(ctx context.Context, dir, line string, most time.Duration) (Ending, error) {
	if !c.HasSandbox() {
		return Ending{}, ErrNoSandbox
	}
	bound := *c
	bound.Limits.Time = most
	j := treeRun{checker: &bound, cache: c.cacheOrEmpty(), dir: dir}
	release, err := j.cache.Hold(ctx)
	if err != nil {
		return Ending{}, err
	}
	defer release()
	o, err := j.runCommand(ctx, line, "")
	return Ending{Code: o.code, Stopped: o.stopped}, err
}
