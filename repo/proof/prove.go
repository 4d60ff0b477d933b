package proof

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// A proving is the state of Prove.
type proving struct {
	Proof
	checker *build.Checker
	work    *git.Workspace
	project project.Project
	changes []diff.Change
	tests   overlay
	// uncompiled are the new tests that count as failing on the base because they do not compile there.
	uncompiled []newTest
	// changed are the cases of the base with a changed expectation, changedUnits what they are cases of, here or
	// under a new name.
	changed         map[key]ExpectationKind
	changedUnits    map[key]bool
	forms           []oldForm        // the files that decide about tests and that the change touches, as on the base
	onceImports     *project.Imports // of the base; nil: not read yet
	withoutOldTests bool             // leaves the fourth run out
	unstable        map[key]bool     // the branch's tests that Unstable names
}

// Prove tests whether the workspace's change fixes something, or says what could not be shown. c is the
// checker of the repository (Checker.For); base is the name of the base commit for people, by default the
// default branch. The error is for failures of this machine only; a change that is not proven is a Proof
// that does not hold.
func Prove(ctx context.Context, c *build.Checker, w *git.Workspace, p project.Project, base string) (Proof, error) {
	v := &proving{checker: c, work: w, project: p}
	return v.prove(ctx, base)
}

func (v *proving) prove(ctx context.Context, base string) (Proof, error) {
	c := v.checker
	v.BaseName = cmp.Or(base, c.Cache.Mirror().Commits().DefaultBranch(), "the base")
	if !c.HasSandbox() {
		v.Missing = "there is no sandbox to run anything in"
		v.Why = v.refusal()
		return v.Proof, nil
	}
	err := v.runAndJudge(ctx)
	if !v.Holds() {
		v.Why = v.refusal()
	}
	return v.Proof, err
}

func (v *proving) runAndJudge(ctx context.Context) (err error) {
	if v.changes, err = v.work.Changes(ctx); err != nil {
		return err
	}
	if len(v.changes) == 0 {
		v.Why = "nothing was changed"
		return nil
	}
	v.tests = selectTests(v.project.Kind, v.changes)
	if v.Base, err = v.checker.Baseline(ctx, v.work.Base(), v.project); err != nil {
		return err
	}
	if v.Branch, err = v.onBranch(ctx, false); err != nil {
		return err
	}
	v.judgeBuild()
	if why := v.whyUnprovable(); why != "" {
		v.Why = why
		return nil
	}
	if !v.tests.isEmpty() {
		if v.OnBase, err = v.onBase(ctx); err != nil {
			return err
		}
	}
	base := newIndex(v.Base)
	if err := v.findChanged(ctx, base, newIndex(v.Branch).alignedTo(base)); err != nil {
		return err
	}
	if !v.Base.EveryTestNamed() || !v.Branch.EveryTestNamed() {
		v.judgeFigures()
	} else if err = v.judgeTests(ctx, v.rerunBranch(ctx)); err != nil {
		return err
	}
	if v.BuildOK && v.GreenOnBranch && v.Missing == "" && !v.Holds() && len(v.RedOnBase)+len(v.NotRed)+len(v.Regressions) == 0 {
		v.Alone = whatAlone(v.project.Kind, v.changes)
	}
	return nil
}

// whatAlone says what was changed if no test can show any of it: documents, tests, which themselves show code,
// and files that affect more than the code. It returns an empty string for every other change.
func whatAlone(kind string, changes []diff.Change) string {
	var kinds []string
	for _, c := range changes {
		what := ""
		switch {
		case c.IsDocument():
			what = "documents"
		case c.IsBesideCode():
			what = "files that affect more than the code"
		case project.IsTest(kind, c.Path):
			what = "tests"
		default:
			return ""
		}
		if !slices.Contains(kinds, what) {
			kinds = append(kinds, what)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " and ")
}

// MayGoUnproven reports whether people may be asked to have the change as it is, because no test can show it. New
// tests that pass on the base already are enough for a feature, which may be to have them; of a bug they show nothing.
func (p Proof) MayGoUnproven(feature bool) bool {
	return p.Alone != "" && (feature || len(p.Guards) == 0)
}

// onBranch returns the result of the base with the whole change. It reuses the result of a check of exactly
// this tree, unless afresh is set.
func (v *proving) onBranch(ctx context.Context, afresh bool) (result.Result, error) {
	if tree, err := v.work.Tree(ctx); err == nil && !afresh {
		if r, known := v.checker.KnownTree(v.work.Base(), tree, v.project); known {
			return r, nil
		}
	}
	return v.checker.RunTree(ctx, v.work.Base(), func(onto *os.Root) error {
		return LayChanges(v.changes, v.work.Root(), onto)
	}, v.project)
}

func (v *proving) rerunBranch(ctx context.Context) func() (result.Result, error) {
	return func() (result.Result, error) { return v.onBranch(ctx, true) }
}

// onBase runs the base with only the change's test files. It also builds, for kinds whose tests may read
// what the build makes: without a build no test would load, and every test would count as red.
func (v *proving) onBase(ctx context.Context) (result.Result, error) {
	tests := v.project
	if tests.Kind == "go" || tests.Kind == "rust" { // the runners of these build what they test
		tests.Build = ""
	}
	return v.checker.RunTree(ctx, v.work.Base(), func(onto *os.Root) error {
		return v.tests.layOver(v.work.Root(), onto)
	}, tests)
}

// judgeBuild compares the build of the branch with that of the base.
func (v *proving) judgeBuild() {
	switch {
	case !v.Branch.BuildRan:
		v.BuildOK = v.Branch.Stopped == ""
	case v.Branch.BuildOK:
		v.Build, v.BuildOK = "clean", true
	case v.Base.Missing.Build != "":
		v.Build, v.BuildOK = "it does not start on "+v.BaseName+" either", true
	case v.Base.BuildRan && !v.Base.BuildOK && v.Base.Stopped == "":
		v.Build, v.BuildOK = "it fails on "+v.BaseName+" already", true
	default:
		v.Build = "it does not fail on " + v.BaseName
	}
}

// whyUnprovable returns why the tests cannot be compared, or an empty string if they can. It sets Missing
// and NoTests.
func (v *proving) whyUnprovable() string {
	switch {
	case v.project.Test == "":
		v.NoTests, v.Missing = true, v.Base.Missing.Build
		return "no test command is known for this project, so nothing was tested"
	case v.Base.HasNoTests() && v.Branch.HasNoTests():
		return v.whyNoTests()
	case v.Base.Missing.Tests != "":
		v.Missing = v.Base.Missing.Tests
		return "the tests did not start on " + v.BaseName
	case v.Base.Stopped != "":
		v.Missing = "the run on " + v.BaseName + " itself " + v.Base.StopReason()
		return v.Missing + ", so there is nothing to compare with"
	case v.Branch.Missing.Tests != "":
		return "the tests did not start on the branch (" + v.Branch.Missing.Tests + "), and did on " + v.BaseName
	case v.Branch.Stopped != "":
		return "the run on the branch " + v.Branch.StopReason()
	case v.Base.Counted && v.Base.Passed > 0 && !v.Branch.Counted && v.Branch.TestsOK:
		return fmt.Sprintf("the tests can be counted on %s (%d pass there), and not on the branch, where the run ends with exit code 0 all the same: it may have ended before they ran", v.BaseName, v.Base.Passed)
	}
	return ""
}

// whyNoTests returns why no test ran. A project that has test files which its test command does not find is
// no project without tests.
func (v *proving) whyNoTests() string {
	files := v.project.TestFiles(v.work.FS())
	old := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return slices.ContainsFunc(v.changes, func(c diff.Change) bool { return c.Path == file && c.Kind == "added" })
	})
	switch {
	case len(old) > 0:
		v.Missing = fmt.Sprintf("the test command (`%s`) finds none of the tests, such as those of %s", v.project.TestShown(), old[0])
		return v.Missing
	case len(files) > 0:
		return fmt.Sprintf("the test command (`%s`) does not find the tests that were added, such as those of %s", v.project.TestShown(), files[0])
	}
	v.NoTests = true
	return "the project has no tests, and none was added"
}

// judgeTests compares the three runs test by test. rerun runs the branch once more.
func (v *proving) judgeTests(ctx context.Context, rerun func() (result.Result, error)) error {
	base := newIndex(v.Base)
	branch := newIndex(v.Branch).alignedTo(base)
	if err := v.findFixedTests(ctx, base, branch); err != nil { // before the next, for its second run on the base
		return err
	}
	if err := v.findRegressions(base, branch, rerun); err != nil {
		return err
	}
	if v.tests.isEmpty() {
		v.GreenOnBranch = v.nothingNewFails(base, branch)
		v.Shown = len(v.Mended) > 0 && v.GreenOnBranch
		v.Why = v.whatIsMissing()
		return nil
	}
	onBase := newIndex(v.OnBase).alignedTo(base, branch)
	news := newTests(base, branch)
	for _, n := range news {
		v.addNewTest(n, onBase, branch)
	}
	if err := v.showUncompiled(ctx, base, branch); err != nil {
		return err
	}
	if err := v.addExtended(ctx, base, onBase, branch); err != nil {
		return err
	}
	v.addUncompiled(base, onBase, branch)
	v.GreenOnBranch = v.nothingNewFails(base, branch) && v.newTestsPass(news)
	v.Shown = len(v.RedOnBase)+len(v.Mended) > 0 && v.GreenOnBranch
	v.Why = v.whatIsMissing()
	return nil
}

// whatIsMissing returns what was not shown, or an empty string if all was.
func (v *proving) whatIsMissing() string {
	switch {
	case len(v.Mended) > 0 && v.GreenOnBranch:
		return ""
	case len(v.NewTests) == 0 && v.tests.isEmpty():
		return "no test was added or changed, so nothing was seen to fail on " + v.BaseName + addTestAdvice
	case len(v.NewTests) == 0:
		return "the test files that changed hold no test that is new or fails on " + v.BaseName + ", so nothing was seen to fail there" + addTestAdvice
	case len(v.RedOnBase) == 0 && len(v.Guards) > 0:
		return fmt.Sprintf("no new test fails on %s: %s passes there already. It may stay as a guard; add one that fails there and passes with the change",
			v.BaseName, result.ListNames(v.Guards, maxNamed))
	case len(v.RedOnBase) == 0:
		return "no new test fails on " + v.BaseName + ", so it was not seen that the change mends anything" + addTestAdvice
	case !v.GreenOnBranch:
		return "the tests do not pass on the branch"
	}
	return ""
}

// nothingNewFails reports whether every test that fails on the branch failed on the base, too.
func (v *proving) nothingNewFails(base, branch index) bool {
	for _, k := range branch.order {
		if branch.statusOf(k) == result.Failed && base.statusOf(k) != result.Failed && !v.unstable[k] {
			return false
		}
	}
	for _, b := range branch.broken {
		if !base.wasBroken(b) {
			return false
		}
	}
	return v.Branch.ExitCode == 0 || v.Branch.Failed > 0 || v.Base.ExitCode != 0 || v.Branch.TestsOK
}

// newTestsPass reports whether the new tests pass on the branch.
func (v *proving) newTestsPass(news []newTest) bool {
	return !slices.ContainsFunc(news, func(n newTest) bool { return !v.OnBranch[n.label].pass() })
}
