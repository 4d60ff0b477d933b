package hunktrial

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// A Verdict is the result of trying a hunk.
type Verdict string

// These are the verdicts.
const (
	Needed   Verdict = "needed"   // something fails without it
	Unneeded Verdict = "unneeded" // nothing that was run fails without it
	Untried  Verdict = "untried"
)

// A Hunk is one hunk of the fix, or the two hunks of a file that moved.
type Hunk struct {
	diff.Hunk
	Numbers []int // as in ListHunks
	Verdict Verdict
	Why     string // for a needed hunk what fails, such as "TestSplit fails"; for an untried one the reason
	ToBuild bool   // it is needed, and the first thing that fails without it is the build
}

// A Trial tries the hunks of one proven change.
type Trial struct {
	Checker *build.Checker
	Work    *git.Workspace
	Project project.Project
	Proof   proof.Proof
	Limit   time.Duration // for all hunks together, as of TimeFor; zero: none is tried
}

// Suites is how many runs of the whole suite the time for the hunks of a change has room for, and MostTime
// its maximum, unless more is configured.
const (
	Suites   = 3
	MostTime = 30 * time.Minute
)

// TimeFor returns the time for the hunks of a change: the configured one, or that of a few runs of the base's
// suite where that is more. It is zero if none is configured.
func TimeFor(configured time.Duration, base result.Result) time.Duration {
	if configured <= 0 {
		return 0
	}
	return max(configured, min(Suites*base.Took, MostTime))
}

// A trialRun is a Trial in progress.
type trialRun struct {
	Trial
	changes  []diff.Change
	tests    []string // test files that changed
	fix      []Hunk
	deadline time.Time
	built    *build.Prepared // the branch, built once; nil: it was not needed yet
}

const noTime = "no time was left"

// errNoTime says that a run would take longer than the time that is left.
var errNoTime = errors.New("hunktrial: there is no time for the run")

// Run tries each hunk of the fix. It returns no hunks if no test showed the change or if Limit is zero.
// An error is a failure of this machine.
func (t Trial) Run(ctx context.Context) ([]Hunk, error) {
	x := &trialRun{Trial: t, deadline: time.Now().Add(t.Limit)}
	if !t.Proof.Demonstrated || t.Limit <= 0 {
		return nil, nil
	}
	beside, err := x.findFix(ctx)
	if err != nil {
		return nil, err
	}
	if len(x.fix) == 1 && !beside {
		x.fix[0].Verdict = Needed
		x.fix[0].Why = "it is the whole fix"
		return x.fix, nil
	}
	if !t.Checker.HasSandbox() {
		return nil, build.ErrNoSandbox
	}
	limited, cancel := context.WithDeadline(ctx, x.deadline)
	defer cancel()
	defer func() {
		if x.built != nil {
			x.built.Close()
		}
	}()
	for _, wide := range []bool{false, true} {
		for _, i := range x.nearestFirst() {
			if err := x.tryHunk(limited, &x.fix[i], wide); err != nil {
				if limited.Err() != nil && ctx.Err() == nil {
					return x.fix, nil
				}
				return nil, err
			}
		}
	}
	return x.fix, nil
}

// nearestFirst returns the indices of the hunks: first those whose folder has changed tests, then the
// others.
func (tr *trialRun) nearestFirst() []int {
	var first, then []int
	for i, h := range tr.fix {
		if slices.ContainsFunc(tr.tests,
			func(test string) bool { return path.Dir(test) == path.Dir(h.Path) }) {
			first = append(first, i)
		} else {
			then = append(then, i)
		}
	}
	return append(first, then...)
}

// tryHunk runs the near tests, or the wider ones, without the hunk. Only the wider ones can show that
// it is unneeded.
func (tr *trialRun) tryHunk(ctx context.Context, h *Hunk, wide bool) error {
	if h.Verdict == Needed {
		return nil
	}
	lost, err := tr.whatFails(ctx, *h, wide)
	var clash *git.PathError
	switch {
	case ctx.Err() != nil: // the cancelled context may be what made it fail
		return ctx.Err()
	case errors.Is(err, errNoTime):
	case errors.As(err, &clash):
		h.Verdict = Needed
		h.Why = "another change stands in its place"
	case err != nil:
		return err
	case lost.why != "":
		h.Verdict = Needed
		h.Why = lost.why
		h.ToBuild = lost.builds
	case wide:
		h.Verdict = Unneeded
		h.Why = ""
	}
	return nil
}
