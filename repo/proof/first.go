package proof

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	// worthSplitting is how long the base's tests take if the proof runs those first that the change can
	// reach.
	worthSplitting = 20 * time.Second
	// readsImports is how long they take if a check looks for what the change can reach. That reads all
	// sources; tests near the change are found by their names.
	readsImports = 5 * time.Second
)

// nearestFirst returns the tests that run first: those that the change can reach, or those near it if the
// base's tests take less than from.
func nearestFirst(
	p project.Project, base result.Result, from time.Duration, root fs.FS, changed []string,
) (project.Parts, bool) {
	if base.Took-base.BuildTook < from {
		return p.NearFirst(root, changed)
	}
	return p.ReachFirst(root, changed)
}

// reachedFirst returns the tests that run first on the branch: those that the change can reach. It returns
// none if the whole suite is short.
func (p *proving) reachedFirst() (first build.First) {
	if p.Base.Took-p.Base.BuildTook < p.splitFrom || p.isAlone {
		return first
	}
	first.Parts, _ = p.project.ReachFirst(p.work.FS(), changedPaths(p.changes))
	first.Enough = func(near result.Result) bool { return near.FailsNear(p.Base) }
	return first
}

// runBranch builds and tests the base with the whole change. If a test fails among those that run first, it
// runs them once more, and ends there if it fails again: the others could not make the proof hold.
func (p *proving) runBranch(ctx context.Context) (result.Result, error) {
	lay := func(onto *os.Root) error { return LayChanges(p.changes, p.work.Root(), onto) }
	first := p.reachedFirst()
	checker := p.checker.Named("tests on the branch", p.Base)
	r, err := checker.RunTreeNearFirst(ctx, p.work.Base(), lay, p.project, first)
	if err != nil || r.Stopped != result.StoppedNear {
		return r, err
	}
	near := p.project
	near.Test = first.Near
	near.Written = ""
	again, err := checker.RunTree(ctx, p.work.Base(), lay, near)
	if err != nil || len(failingTwice(r, again, p.Base)) > 0 {
		p.failsFirst = failingTwice(r, again, p.Base)
		return r, err
	}
	return checker.RunTree(ctx, p.work.Base(), lay, p.project)
}

// failingTwice returns the tests that fail in two runs and not on the base.
func failingTwice(one, two, base result.Result) (out []result.Test) {
	fresh, _ := two.FailingSince(base)
	failing := map[result.Name]bool{}
	for _, t := range fresh {
		failing[result.Name{Group: t.Group, Name: t.Name}] = true
	}
	fresh, _ = one.FailingSince(base)
	for _, t := range fresh {
		if failing[result.Name{Group: t.Group, Name: t.Name}] {
			out = append(out, t)
		}
	}
	return out
}

// whyEndedFirst names the tests that ended the run on the branch before all ran, with what they say.
func (p *proving) whyEndedFirst() string {
	var failing []string
	for _, t := range p.failsFirst {
		line := t.Name
		if says := complaint(t.Output); says != "" && len(failing) < maxNamed {
			line += " (" + says + ")"
		}
		failing = append(failing, line)
	}
	return fmt.Sprintf("%d of the tests that ran first on the branch fail there and not on %s, each in two "+
		"runs: %s. %s", len(failing), p.BaseName, plaintext.FirstOf(failing, maxNamed),
		strings.TrimSuffix(p.Branch.Order(), "."))
}
