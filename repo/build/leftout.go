package build

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// maxLeftOut is the most tests that are left out because a limit stops them, and maxTries how often the base
// is run again without those that were running when it was stopped.
const (
	maxLeftOut = 4
	maxTries   = 3
)

// withoutStopped runs the base again without the tests that were running when a limit stopped it. r is the
// result of the run that was stopped. It returns r itself if these tests are not known, cannot be left out,
// or are more than maxLeftOut: then nothing but single tests can be run on this machine.
func (c *Checker) withoutStopped(
	ctx context.Context, commit string, r result.Result, p project.Project,
) (result.Result, error) {
	last := r
	for range maxTries {
		running := stoppedTests(last)
		out := append(last.LeftOut, running...)
		narrowed, ok := p.Without(namesOf(out))
		if len(running) == 0 || len(out) > maxLeftOut || !ok {
			return r, nil
		}
		c.Caches.log().Info("run the base again without the tests that were stopped",
			"commit", commit, "tests", namesOf(out))
		narrowed.Build = "" // what the first run compiled is in the cache
		again, err := c.runTree(ctx, commit, nil, narrowed, treeRun{writable: true})
		if err != nil {
			return r, err
		}
		narrowed.Build = p.Build
		again.Project = narrowed
		again.BuildRan = r.BuildRan
		again.BuildOK = r.BuildOK
		again.BuildOutput = r.BuildOutput
		again.Missing.Build = r.Missing.Build
		again.Took += r.Took
		again.LeftOut = out
		if again.Stopped == "" {
			return again, nil
		}
		last = again
	}
	return r, nil
}

// stoppedTests returns the tests that were running when a limit ended the run, without their subtests.
func stoppedTests(r result.Result) (out []result.LeftOut) {
	if r.Stopped == "" || r.Stopped == result.StoppedNear || !r.TestsRan {
		return nil
	}
	for _, test := range r.Unfinished {
		name, _, _ := strings.Cut(test, "/")
		if !slices.ContainsFunc(out, func(o result.LeftOut) bool { return o.Name == name }) {
			out = append(out, result.LeftOut{Name: name, Why: r.StopReason()})
		}
	}
	return out
}

func namesOf(tests []result.LeftOut) (names []string) {
	for _, t := range tests {
		names = append(names, t.Name)
	}
	return names
}
