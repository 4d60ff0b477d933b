package testtrial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// A Trial tries the tests of one proven change.
type Trial struct {
	Checker *build.Checker
	Work    *git.Workspace
	Project project.Project
	Proof   proof.Proof
	Limit   time.Duration // for all runs, beside the time of two runs of all tests; zero: nothing is run
}

// A Finding is what a Trial found out.
type Finding struct {
	Rejected []proof.RejectedTest
	Repeated string // how the tests ran again, or why they did not; empty if there is nothing to try
}

// A trialRun is a Trial in progress.
type trialRun struct {
	Trial
	changes []diff.Change
	files   []string                // the files with tests of the change
	done    map[tree]*result.Result // nil: the run says nothing
	ended   int                     // runs that ended
	whole   bool                    // the tests could not be run without the others
}

// errNoTime says that a run would take longer than the time that is left.
var errNoTime = errors.New("test trial: there is no time for the run")

// Run tries the tests of the change. It finds nothing in a proof that was not shown by tests. An error is a
// failure of this machine.
func (t Trial) Run(ctx context.Context) (found Finding, err error) {
	if !t.Proof.Demonstrated {
		return found, nil
	}
	x := &trialRun{Trial: t, done: map[tree]*result.Result{}}
	if x.changes, err = t.Work.Changes(ctx); err != nil {
		return found, err
	}
	found.Rejected, err = x.testAware()
	if err != nil || found.Rejected != nil || len(t.Proof.NewTests) == 0 {
		return found, err
	}
	hunks, err := t.Work.ListHunks(ctx)
	if err != nil {
		return found, err
	}
	if found.Rejected = x.readers(hunks); found.Rejected != nil {
		return found, nil
	}
	if t.Limit <= 0 {
		found.Repeated = "The new tests were not repeated: the limit for it is zero"
		return found, nil
	}
	for _, c := range x.changes {
		kind := t.Project.Kind
		if c.Kind != "deleted" && (project.IsTest(kind, c.Path) || project.HasTests(kind, c.Path)) {
			x.files = append(x.files, c.Path)
		}
	}
	limited, cancel := context.WithTimeout(ctx, t.Limit+2*t.Proof.Branch.Took)
	defer cancel()
	found.Rejected, err = x.repeat(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		err = errNoTime
	}
	if err != nil && !errors.Is(err, errNoTime) {
		return Finding{}, err
	}
	if found.Rejected == nil {
		found.Repeated = x.repeated(err)
	}
	return found, nil
}

// repeated says how the tests ran again.
func (tr *trialRun) repeated(err error) string {
	how := ""
	if !tr.whole {
		how = ", without the others and in another order"
	}
	switch {
	case err != nil && tr.ended == 0:
		return "The new tests were not repeated: no time was left"
	case tr.ended == 0:
		return "The new tests could not be repeated"
	case err != nil:
		return fmt.Sprintf("The new tests ran %s%s, until no time was left", times(tr.ended), how)
	}
	return fmt.Sprintf("The new tests ran %s%s: the same each time", times(tr.ended), how)
}

func times(n int) string {
	if n == 1 {
		return "once more"
	}
	return fmt.Sprintf("%d more times", n)
}

// repeat runs the trees and judges each test of the change.
func (tr *trialRun) repeat(ctx context.Context) (rejected []proof.RejectedTest, err error) {
	for _, label := range tr.Proof.NewTests {
		why, do, err := tr.judge(ctx, label)
		if err != nil {
			return nil, err
		}
		if why != "" {
			rejected = append(rejected, proof.RejectedTest{Name: label, Why: why, Do: do})
		}
	}
	return rejected, nil
}

// What to do about a rejected test.
const (
	runCode    = "have it call the code and look at what comes of it, or take it out"
	makeSteady = "make its answer the same each time, or take it out"
	standAlone = "have it prepare by itself what it needs"
)

// What is wrong with a test that reads the fix, or what the fix took away.
const (
	readsFix  = "passes on %s when the fix stands there in comments alone" + itReads
	readsBase = "fails on the branch when the lines of %s stand there in comments" + itReads
	itReads   = " (it reads the files instead of running the code)"
)

// judge returns what is wrong with a test and what to do, or empty strings.
func (tr *trialRun) judge(ctx context.Context, label string) (why, do string, err error) {
	if slices.Contains(tr.Proof.RedOnBase, label) {
		if why, do, err = tr.judgeOnBase(ctx, label); why != "" || err != nil {
			return why, do, err
		}
	}
	return tr.judgeOnBranch(ctx, label)
}

// judgeOnBase looks for a test that fails on the base, and passes there once the fix stands in comments.
func (tr *trialRun) judgeOnBase(ctx context.Context, label string) (why, do string, err error) {
	inert, err := tr.status(ctx, inertFix, label)
	if err != nil || inert != result.Passed {
		return "", "", err
	}
	plain, err := tr.status(ctx, plainBase, label)
	if err != nil {
		return "", "", err
	}
	again, err := tr.status(ctx, inertFixAgain, label)
	switch {
	case err != nil || plain == "" || again == "":
		return "", "", err
	case plain == result.Failed && again == result.Passed:
		return fmt.Sprintf(readsFix, tr.Proof.BaseName), runCode, nil
	}
	why = fmt.Sprintf("passes and fails by itself: on %s it failed before and passes now", tr.Proof.BaseName)
	return why, makeSteady, nil
}

// judgeOnBranch looks for a test that passed on the branch and does not pass each time.
func (tr *trialRun) judgeOnBranch(ctx context.Context, label string) (why, do string, err error) {
	inert, err := tr.status(ctx, inertBase, label)
	if err != nil {
		return "", "", err
	}
	plain := result.Status("")
	if inert != result.Passed || !tr.whole {
		if plain, err = tr.status(ctx, plainBranch, label); err != nil {
			return "", "", err
		}
	}
	switch passes := inert == "" || inert == result.Passed; {
	case passes && (plain == "" || plain == result.Passed):
		return "", "", nil
	case passes || tr.whole && plain != result.Passed && plain != "":
		return "passes and fails by itself: of two more runs on the branch it passed one or " +
			"none", makeSteady, nil
	case plain == "":
		return "", "", nil
	case plain != result.Passed:
		return tr.judgeAlone(ctx, label)
	}
	again, err := tr.status(ctx, inertBaseWhole, label)
	switch {
	case err != nil || again == "":
		return "", "", err
	case again == result.Passed:
		return "passes and fails by itself: on the branch it failed once and passed " +
			"otherwise", makeSteady, nil
	}
	return fmt.Sprintf(readsBase, tr.Proof.BaseName), runCode, nil
}

// judgeAlone says of a test that failed in both runs without the other tests whether it passes with them.
func (tr *trialRun) judgeAlone(ctx context.Context, label string) (why, do string, err error) {
	all, err := tr.status(ctx, wholeBranch, label)
	switch {
	case err != nil || all == "":
		return "", "", err
	case all == result.Passed:
		return "fails when it runs without the other tests", standAlone, nil
	}
	return "passes and fails by itself: on the branch it passed once and fails now", makeSteady, nil
}

// status returns the status of a test in a tree, or an empty string if that run says nothing about it.
func (tr *trialRun) status(ctx context.Context, t tree, label string) (result.Status, error) {
	r, known := tr.done[t]
	if !known {
		var err error
		if r, err = tr.run(ctx, t); err != nil {
			return "", err
		}
		tr.done[t] = r
	}
	if r == nil {
		return "", nil
	}
	return statusIn(*r, label), nil
}

// statusIn returns the status of the tests with that label: failed if one of them failed, skipped if one was
// skipped. If the run does not name its tests, the status is that of the whole run.
func statusIn(r result.Result, label string) result.Status {
	if !r.EveryTestNamed() {
		if r.TestsOK {
			return result.Passed
		}
		return result.Failed
	}
	status := result.Status("")
	for _, t := range r.Tests {
		if t.Broken != "" || !hasLabel(t, label) {
			continue
		}
		if t.Status == result.Failed {
			return result.Failed
		}
		if status != result.Skipped {
			status = t.Status
		}
	}
	return status
}

// hasLabel reports whether a label of the proof is that of the test, or of the test that it is a case of.
func hasLabel(t result.Test, label string) bool {
	unit := cmp.Or(t.Of, t.Name)
	return slices.Contains([]string{t.Name, unit, t.Group + " " + t.Name, t.Group + " " + unit}, label)
}
