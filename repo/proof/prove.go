package proof

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
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
	// changed are the cases of the base with a changed expectation, changedUnits what they are cases
	// of, here or under a new name.
	changed      map[key]ExpectationKind
	changedUnits map[key]bool
	// the files that decide about tests and that the change touches, as on the base
	forms []oldForm
	// of the base; nil: not read yet
	onceImports *project.Imports
	// leaves the fourth run out
	withoutOldTests bool
	// only the tests of the change's own test files are run
	isAlone bool
	// it is one of the others of another proving
	isOther bool
	// further projects whose tests cover the change
	others []project.Project
	// the changed files of code that no known command covers
	uncovered []string
	// the branch's tests that Unstable names
	unstable map[key]bool
	// how long the base's tests take at least if those run first that the change can reach
	splitFrom time.Duration
	// the tests that ended the run on the branch before all ran
	failsFirst []result.Test
}

// Prove tests whether the workspace's change fixes something, or says what could not be shown. c is the
// checker of the repository (Checker.For); base is the name of the base commit for people, by default the
// default branch. The error is for failures of this machine only; a change that is not proven is a Proof
// that does not hold.
func Prove(
	ctx context.Context, c *build.Checker, w *git.Workspace, p project.Project, base string,
) (Proof, error) {
	v := &proving{checker: c, work: w, project: p, splitFrom: worthSplitting}
	return v.prove(ctx, base)
}

func (p *proving) prove(ctx context.Context, base string) (Proof, error) {
	c := p.checker
	p.BaseName = cmp.Or(base, c.BaseName())
	if !c.HasSandbox() {
		p.Missing = "there is no sandbox to run anything in"
		p.Why = p.refusal()
		return p.Proof, nil
	}
	err := p.runAndJudge(ctx)
	if !p.Passes() {
		p.Why = p.refusal()
	}
	return p.Proof, err
}

func (p *proving) runAndJudge(ctx context.Context) (err error) {
	if p.changes, err = p.work.Changes(ctx); err != nil {
		return err
	}
	if len(p.changes) == 0 {
		p.Why = "nothing was changed"
		return nil
	}
	p.tests = selectTests(p.project.Kind, p.changes)
	onBase := p.checker.Named("tests on "+p.BaseName, result.Result{})
	if p.Base, err = onBase.Baseline(ctx, p.work.Base(), p.project); err != nil {
		return err
	}
	if len(p.Base.LeftOut) > 0 {
		p.project = p.Base.Project
	}
	p.Ran = p.project
	if p.Base.Stopped != "" {
		if p.Why = p.whyStopped(); p.isAlone {
			return nil
		}
		_, err = p.proveAlone(ctx, fmt.Sprintf("the whole suite does not end on %s (it %s)", p.BaseName,
			p.Base.StopReason()))
		return err
	}
	if p.Branch, err = p.onBranch(ctx, false); err != nil {
		return err
	}
	if err := p.confirmNoTests(ctx, onBase); err != nil {
		return err
	}
	p.judgeBuild()
	if why := p.whyUnprovable(); why != "" {
		p.Why = why
		return nil
	}
	if !p.tests.isEmpty() {
		if p.OnBase, err = p.onBase(ctx); err != nil {
			return err
		}
	}
	if done, err := p.judgeMiscounted(ctx); done || err != nil {
		return err
	}
	base := newIndex(p.Base)
	if err := p.findChanged(ctx, base, newIndex(p.Branch).alignedTo(base)); err != nil {
		return err
	}
	if !p.Base.EveryTestNamed() || !p.Branch.EveryTestNamed() {
		p.judgeFigures()
	} else if err = p.judgeTests(ctx, p.rerunBranch(ctx)); err != nil {
		return err
	}
	p.findRewritten()
	if err := p.proveOthers(ctx); err != nil {
		return err
	}
	if p.BuildOK && p.GreenOnBranch && p.Missing == "" && !p.Passes() &&
		len(p.RedOnBase)+len(p.NotRed)+len(p.Regressions) == 0 {
		p.Alone = whatAlone(p.project.Kind, p.changes)
	}
	return nil
}

// whatAlone says what was changed if no test can show any of it: documents, tests, which themselves show
// code, files that name packages, and files that affect more than the code. It returns an empty string for
// every other change.
func whatAlone(kind string, changes []diff.Change) string {
	var kinds []string
	for _, c := range changes {
		what := ""
		switch {
		case c.IsDocument():
			what = "documents"
		case c.NamesPackages():
			what = "files that name packages"
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

// MayGoUnproven reports whether people may be asked to have the change as it is, because no test can
// show it. New tests that pass on the base already are enough for a feature, which may be to have them;
// of a bug they show nothing.
func (p Proof) MayGoUnproven(feature bool) bool {
	return p.Alone != "" && (feature || len(p.Guards) == 0)
}

// onBranch returns the result of the base with the whole change. It reuses the result of a check of exactly
// this tree, unless afresh is set.
func (p *proving) onBranch(ctx context.Context, afresh bool) (result.Result, error) {
	if tree, err := p.work.Tree(ctx); err == nil && !afresh {
		if r, known := p.checker.KnownTree(p.work.Base(), tree, p.project); known {
			return r, nil
		}
	}
	return p.runBranch(ctx)
}

func (p *proving) rerunBranch(ctx context.Context) func() (result.Result, error) {
	return func() (result.Result, error) { return p.onBranch(ctx, true) }
}

// onBase runs the base with only the change's test files. It also builds, for kinds whose tests may read
// what the build makes: without a build no test would load, and every test would count as red.
func (p *proving) onBase(ctx context.Context) (result.Result, error) {
	tests := p.project
	if tests.Kind == "go" || tests.Kind == "rust" { // the runners of these build what they test
		tests.Build = ""
	}
	checker := p.checker.Named("new tests on "+p.BaseName, p.Base)
	return checker.RunTree(ctx, p.work.Base(), func(onto *os.Root) error {
		return p.tests.layOver(p.work.Root(), onto)
	}, tests)
}

// judgeBuild compares the build of the branch with that of the base.
func (p *proving) judgeBuild() {
	switch {
	case !p.Branch.BuildRan:
		p.BuildOK = p.Branch.Stopped == ""
	case p.Branch.BuildOK:
		p.Build = "clean"
		p.BuildOK = true
	case p.Base.Missing.Build != "":
		p.Build = "it does not start on " + p.BaseName + " either"
		p.BuildOK = true
	case p.Base.BuildRan && !p.Base.BuildOK && p.Base.Stopped == "":
		p.Build = "it fails on " + p.BaseName + " already"
		p.BuildOK = true
	default:
		p.Build = "it does not fail on " + p.BaseName
	}
}

// whyUnprovable returns why the tests cannot be compared, or an empty string if they can. It sets Missing
// and NoTests.
func (p *proving) whyUnprovable() string {
	switch {
	case p.project.Test == "":
		p.NoTests = true
		p.Missing = p.Base.Missing.Build
		return "no test command is known for this project, so nothing was tested"
	case p.Base.HasNoTests() && p.Branch.HasNoTests():
		return p.whyNoTests()
	case p.Base.Missing.Tests != "":
		p.Missing = p.Base.Missing.Tests
		return "the tests did not start on " + p.BaseName
	case p.Base.Stopped != "": // where it was run once more
		return "the run on " + p.BaseName + " " + p.Base.StopReason()
	case p.Branch.Missing.Tests != "":
		return "the tests did not start on the branch (" + p.Branch.Missing.Tests +
			"), and did on " + p.BaseName
	case p.Branch.Stopped == result.StoppedNear:
		return p.whyEndedFirst()
	case p.Branch.Stopped != "":
		return "the run on the branch " + p.Branch.StopReason()
	case p.Base.Counted && p.Base.Passed > 0 && !p.Branch.Counted && p.Branch.TestsOK:
		return fmt.Sprintf("the tests can be counted on %s (%d pass there), and not on the branch, "+
			"where the run ends with exit code 0 all the same: it may have ended before they ran",
			p.BaseName, p.Base.Passed)
	}
	return ""
}

// confirmNoTests runs the tests of the base once more if its result has none, the branch has some, and some
// of these are in files that the base has. That is right where the change itself lets them be found, and
// wrong where that run of the base lost its tests: every old test would then be taken for a new one that
// guards.
func (p *proving) confirmNoTests(ctx context.Context, onBase *build.Checker) error {
	if !p.Base.HasNoTests() || p.Branch.HasNoTests() || len(p.oldTestFiles()) == 0 {
		return nil
	}
	again, err := onBase.RunTree(ctx, p.work.Base(), nil, p.project)
	if err == nil && !again.HasNoTests() {
		p.Base = again
	}
	return err
}

// oldTestFiles returns the test files of the branch that it did not add.
func (p *proving) oldTestFiles() []string {
	return slices.DeleteFunc(p.project.TestFiles(p.work.FS()), func(file string) bool {
		return slices.ContainsFunc(p.changes,
			func(c diff.Change) bool { return c.Path == file && c.Kind == "added" })
	})
}

// whyNoTests returns why no test ran. A project that has test files which its test command does not find is
// no project without tests.
func (p *proving) whyNoTests() string {
	files := p.project.TestFiles(p.work.FS())
	old := p.oldTestFiles()
	switch {
	case len(old) > 0:
		p.Missing = fmt.Sprintf("the test command (`%s`) finds none of the tests, such as those of %s",
			p.project.TestCommand(), old[0])
		return p.Missing
	case len(files) > 0:
		return fmt.Sprintf("the test command (`%s`) does not find the tests that were added, "+
			"such as those of %s", p.project.TestCommand(), files[0])
	}
	p.NoTests = true
	return "the project has no tests, and none was added"
}

// judgeTests compares the three runs test by test. rerun runs the branch once more.
func (p *proving) judgeTests(ctx context.Context, rerun func() (result.Result, error)) error {
	base := newIndex(p.Base)
	branch := newIndex(p.Branch).alignedTo(base)
	if err := p.findFixedTests(ctx, base, branch); err != nil {
		// before the next, for its second run on the base
		return err
	}
	if err := p.findRegressions(base, branch, rerun); err != nil {
		return err
	}
	if p.tests.isEmpty() {
		p.GreenOnBranch = p.nothingNewFails(base, branch)
		p.Demonstrated = len(p.Fixed) > 0 && p.GreenOnBranch
		p.Why = p.whatIsMissing()
		return nil
	}
	onBase := newIndex(p.OnBase).alignedTo(base, branch)
	news := newTests(base, branch)
	for _, n := range news {
		p.addNewTest(n, onBase, branch)
	}
	if err := p.showUncompiled(ctx, base, branch); err != nil {
		return err
	}
	if err := p.addExtended(ctx, base, onBase, branch); err != nil {
		return err
	}
	p.addUncompiled(base, onBase, branch)
	p.GreenOnBranch = p.nothingNewFails(base, branch) && p.newTestsPass(news)
	p.Demonstrated = len(p.RedOnBase)+len(p.Fixed) > 0 && p.GreenOnBranch
	p.Why = p.whatIsMissing()
	return nil
}

// whatIsMissing returns what was not shown, or an empty string if all was.
func (p *proving) whatIsMissing() string {
	switch {
	case len(p.Fixed) > 0 && p.GreenOnBranch:
		return ""
	case len(p.NewTests) == 0 && p.tests.isEmpty() && p.unseenTests() != "":
		return p.unseenTests() + ", so nothing was seen to fail on " + p.BaseName
	case len(p.NewTests) == 0 && p.tests.isEmpty():
		return "no test was added or changed, so nothing was seen to fail on " + p.BaseName + addTestAdvice
	case len(p.NewTests) == 0:
		return "the test files that changed hold no test that is new or fails on " + p.BaseName +
			", so nothing was seen to fail there" + addTestAdvice
	case len(p.RedOnBase) == 0 && len(p.Guards) > 0:
		return fmt.Sprintf("no new test fails on %s: %s passes there already. It may stay as a guard; "+
			"add one that fails there and passes with the change",
			p.BaseName, plaintext.FirstOf(p.Guards, maxNamed))
	case len(p.RedOnBase) == 0:
		return "no new test fails on " + p.BaseName +
			", so it was not seen that the change fixes anything" + addTestAdvice
	case !p.GreenOnBranch:
		return "the tests do not pass on the branch"
	}
	return ""
}

// nothingNewFails reports whether every test that fails on the branch failed on the base, too.
func (p *proving) nothingNewFails(base, branch index) bool {
	for _, k := range branch.order {
		if branch.statusOf(k) == result.Failed && base.statusOf(k) != result.Failed && !p.unstable[k] {
			return false
		}
	}
	for _, b := range branch.broken {
		if !base.wasBroken(b) {
			return false
		}
	}
	return p.Branch.ExitCode == 0 || p.Branch.Failed > 0 || p.Base.ExitCode != 0 || p.Branch.TestsOK
}

// newTestsPass reports whether the new tests pass on the branch.
func (p *proving) newTestsPass(news []newTest) bool {
	return !slices.ContainsFunc(news, func(n newTest) bool { return !p.OnBranch[n.label].pass() })
}
