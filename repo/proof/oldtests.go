package proof

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An oldForm is a file that decides about tests, in the form that it has in the tree of the fourth run.
type oldForm struct {
	path string
	// as in diff.Change
	kind string
	// its text on the base
	was string
	// its text on the branch
	is string
	// lays is the text to write: the branch's file with the tests or settings of the base. If it is empty,
	// the file is as on the base.
	lays string
	// byTests is set if it is code that tests alone import: values or helpers of tests, or the code that
	// they test.
	byTests bool
}

// oldTrees returns, for each tree that the old tests run on, the base's versions of the files with which
// the change decides what tests expect, which of them run, or how. There is none if the base's tests are as
// they were, or nothing else was changed. A second tree has the base's versions of what tests alone import,
// too: such a file may hold what they expect, or be the code that they test.
func (p *proving) oldTrees() (trees [][]oldForm) {
	var sure, all []oldForm
	for _, c := range p.changes {
		f, ok := p.oldFormOf(c)
		if ok && !f.byTests {
			sure = append(sure, f)
		}
		if ok {
			all = append(all, f)
		}
	}
	sure = dropMoved(sure)
	all = dropMoved(all)
	if slices.ContainsFunc(sure, p.mayInfluence) && p.changeMoreThan(sure) {
		trees = append(trees, sure)
	}
	if !p.changeMoreThan(all) {
		all = slices.DeleteFunc(all,
			func(f oldForm) bool { return f.byTests && !project.HasValues(f.path, f.was) })
	}
	if len(all) > len(sure) && p.changeMoreThan(all) {
		trees = append(trees, all)
	}
	return trees
}

// changeMoreThan reports whether the change has more than these files and documents.
func (p *proving) changeMoreThan(forms []oldForm) bool {
	return slices.ContainsFunc(p.changes, func(c diff.Change) bool {
		return !c.IsDocument() &&
			!slices.ContainsFunc(forms, func(f oldForm) bool { return f.path == c.Path })
	})
}

// oldFormOf returns the form of one changed path. It returns false if the path is as on the branch in the
// fourth run.
func (p *proving) oldFormOf(c diff.Change) (oldForm, bool) {
	f := oldForm{path: c.Path, kind: c.Kind}
	kind := p.project.Kind
	if was, err := p.checker.Cache.Mirror().Commits().ReadFile(p.work.Base(), c.Path); err == nil {
		f.was = string(was)
	}
	decides := project.DecidesTests(kind, c.Path)
	settings := project.HasTestSettings(c.Path)
	switch {
	case decides && c.Kind == "added" && p.importedByCode(c.Path):
		return f, false
	case decides:
	case project.IsCode(c.Path) && !project.HasTests(kind, c.Path):
		decides = project.UsesTestLibrary(f.was)
		f.byTests = !decides && p.importedByTests(c.Path)
		decides = decides || f.byTests
	case c.Kind == "added" || project.IsCode(c.Path):
	case settings:
		decides = c.Kind == "deleted" && !project.IsManifest(c.Path)
	default:
		decides = project.ReadByTestsAlone(p.work.FS(), kind, c.Path)
	}
	splices := settings && c.Kind != "deleted" || c.Kind == "modified" && project.HasTests(kind, c.Path)
	switch {
	case strings.Contains(c.Mode, "submodule") || !decides && !splices:
		return f, false
	case c.Kind == "added" && !splices && project.IsTestData(c.Path):
		return f, false // the data of a new case
	}
	if c.Kind != "deleted" {
		f.is, _ = readRegular(p.work.Root(), c.Path) // a link or a pipe has no text
	}
	switch {
	case decides:
	case project.HasTests(kind, c.Path):
		f.lays = project.SpliceTests(kind, f.is, f.was)
	default:
		f.lays = project.SpliceTestSettings(c.Path, f.was, f.is)
	}
	return f, decides || f.lays != f.is
}

// dropMoved drops the files that only moved: one was deleted, and another one with the same text added.
func dropMoved(forms []oldForm) []oldForm {
	moved := func(f oldForm) bool {
		return slices.ContainsFunc(forms, func(o oldForm) bool {
			gone := f
			came := o
			if f.kind == "added" {
				gone = o
				came = f
			}
			return gone.kind == "deleted" && came.kind == "added" && gone.was == came.is
		})
	}
	var out []oldForm
	for _, f := range forms {
		if f.was+f.is == "" || !moved(f) {
			out = append(out, f)
		}
	}
	return out
}

// oldCommand returns the project with the command of the fourth run. It is narrowed to the packages of the
// old tests if these are all that is touched and the runner can select them, as go test can.
func (p *proving) oldCommand(forms []oldForm) (tests project.Project, narrowed bool) {
	tests = p.project
	if tests.Kind == "go" || tests.Kind == "rust" { // the runners of these build what they test
		tests.Build = ""
	}
	var paths []string
	for _, f := range forms {
		if tests.Kind != "go" || !strings.HasSuffix(f.path, "_test.go") {
			return tests, false
		}
		paths = append(paths, f.path)
	}
	parts, ok := tests.NearFirst(p.work.FS(), paths)
	if ok {
		tests.Test = parts.Near
		tests.Written = ""
	}
	return tests, ok
}

// onOldTests returns the result of the fourth run: the branch with the base's versions of the files that
// decide about tests. A result of exactly this tree is reused, unless afresh is set.
func (p *proving) onOldTests(ctx context.Context, forms []oldForm, afresh bool) (result.Result, error) {
	tests, _ := p.oldCommand(p.forms)
	tree, err := p.work.Tree(ctx)
	if err != nil {
		return result.Result{}, err
	}
	tree = "old " + strings.Join(pathsOf(forms), " ") + " on " + tree
	if r, known := p.checker.KnownTree(p.work.Base(), tree, tests); known && !afresh {
		return r, nil
	}
	stays := func(c diff.Change) bool {
		return slices.ContainsFunc(forms, func(f oldForm) bool { return f.path == c.Path })
	}
	checker := p.checker.Named("the tests of "+p.BaseName+" on the branch", p.Base)
	r, err := checker.RunTree(ctx, p.work.Base(), func(onto *os.Root) error {
		if err := LayChanges(slices.DeleteFunc(slices.Clone(p.changes), stays), p.work.Root(),
			onto); err != nil {
			return err
		}
		for _, f := range forms {
			if f.lays == "" {
				continue
			}
			if err := onto.WriteFile(f.path, []byte(f.lays), 0o644); err != nil {
				return fmt.Errorf("proof: lay the old tests of %s over the branch: %w", f.path, err)
			}
		}
		return nil
	}, tests)
	if err == nil {
		p.checker.NoteTree(p.work.Base(), tree, r)
	}
	return r, err
}

// findChanged runs the old tests on the new code and records what they expect and the change does not do.
func (p *proving) findChanged(ctx context.Context, base, branch index) error {
	if p.withoutOldTests {
		return nil
	}
	for _, forms := range p.oldTrees() {
		p.forms = forms
		if err := p.findChangedIn(ctx, base, branch); err != nil {
			return err
		}
	}
	return nil
}

// findChangedIn runs the old tests in one tree. What does not pass has to be seen a second time, since it
// may be chance.
func (p *proving) findChangedIn(ctx context.Context, base, branch index) error {
	forms := p.forms
	first, err := p.onOldTests(ctx, forms, false)
	if err != nil {
		return err
	}
	p.OnOldTests = first
	named := p.Base.EveryTestNamed() && p.Branch.EveryTestNamed()
	fails := func(r result.Result) bool { return p.failsAsAWhole(r) }
	if named {
		fails = func(r result.Result) bool {
			return p.startFails(r) || len(p.lostOn(newIndex(r).alignedTo(base), base, branch)) > 0
		}
	}
	if !fails(first) {
		p.noteUnknown(first)
		return nil
	}
	again, err := p.onOldTests(ctx, forms, true)
	if err != nil {
		return err
	}
	switch {
	case !fails(again):
	case !named || p.startFails(first) || p.startFails(again):
		e := p.wholeExpectation(forms, first)
		e.With, err = p.neededFiles(ctx, forms,
			func(r result.Result) bool { return r.Stopped == "" && !fails(r) })
		if len(e.With) > 0 {
			e.Was = ""
			e.Now = ""
			e.Place = ""
			e.More = 0
		}
		p.Expectations = append(p.Expectations, e)
	default:
		err = p.addLostCases(ctx, first, again, base, branch)
	}
	p.noteUnknown(first)
	return err
}

// addLostCases records the cases that two runs of the old tests lost.
func (p *proving) addLostCases(ctx context.Context, first, again result.Result, base, branch index) error {
	old := newIndex(first).alignedTo(base)
	second := p.lostOn(newIndex(again).alignedTo(base), base, branch)
	for _, l := range p.lostOn(old, base, branch) {
		twice := slices.ContainsFunc(second, func(o lostCase) bool { return o.key == l.key })
		if _, known := p.changed[l.key]; known || !twice { // known from another tree
			continue
		}
		var err error
		if base.statusOf(l.key) == result.Failed {
			err = p.addFixed(ctx, l, old, base)
		} else if e := p.addChanged(l, pairFinder{p.forms}, old, base, branch); e != nil {
			err = p.addNeeded(ctx, l, e, base)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noteUnknown records that the old tests did not run to their end, so that nothing is known of the rest.
func (p *proving) noteUnknown(old result.Result) {
	if old.Stopped != "" && len(p.Expectations) == 0 {
		p.OldUnknown = old.StopReason()
	}
}

// startFails reports whether the old tests, whose names are known on the base and on the branch, could not
// be counted.
func (p *proving) startFails(old result.Result) bool {
	return old.Stopped == "" && (!old.EveryTestNamed() || old.Missing.Tests != "")
}

// failsAsAWhole reports whether the old tests fail on the new code, where the tests have no names.
func (p *proving) failsAsAWhole(old result.Result) bool {
	switch {
	case old.Stopped != "" || !p.Branch.TestsOK && !p.Branch.Counted:
		return false // the branch's own tests fail already
	case p.Base.Counted && old.Counted:
		return old.Failed > max(p.Base.Failed, p.Branch.Failed) ||
			old.Passed < min(p.Base.Passed, p.Branch.Passed)
	}
	return p.Base.TestsOK && !old.TestsOK
}

// A lostCase is a case of the base that passes there and does not pass in its old form on the new code.
type lostCase struct {
	key
	why string
}

// lostOn returns the cases that pass on the base and not in the old tests on the new code. Those that fail
// on the branch in their new form, too, are regressions and not among them. Those that fail on the base,
// and pass on the branch, are among them if their old form fails on the new code.
func (p *proving) lostOn(old, base, branch index) (lost []lostCase) {
	_, narrowed := p.oldCommand(p.forms)
	movedOld := movedTests(base, old)
	moved := movedTests(base, branch)
	for _, k := range base.order {
		s := base.statusOf(k)
		fixed := s == result.Failed && old.statusOf(k) == result.Failed &&
			branch.statusOf(k) == result.Passed
		if s != result.Passed && !fixed || narrowed && !old.hasGroup(k.group) {
			continue
		}
		why := whyLost(k, base, old, movedOld)
		if why == "" || old.Stopped != "" && old.statusOf(k) != result.Failed {
			continue
		}
		if now := whyLost(k, base, branch, moved); now == "" || now == "is skipped" || now == "is gone" {
			lost = append(lost, lostCase{k, why})
		}
	}
	return lost
}

// hasGroup reports whether tests of the group ran, or could not run.
func (x index) hasGroup(group string) bool {
	return x.groups[group] ||
		slices.ContainsFunc(x.broken, func(b result.Test) bool { return b.Group == group })
}

// addChanged records one case as a changed expectation and returns it. A group that cannot be run with the
// old tests is recorded once, and nil returned.
func (p *proving) addChanged(l lostCase, lines pairFinder, old, base, branch index) *Expectation {
	if p.changed == nil {
		p.changed = map[key]ExpectationKind{}
		p.changedUnits = map[key]bool{}
	}
	unit := unitOf(base.tests[l.key])
	p.changed[l.key] = ExpectationBroken
	p.changedUnits[unit] = true
	if b, broken := old.brokenFor(l.group, base); broken && old.statusOf(l.key) == "" {
		i := slices.IndexFunc(p.Expectations, func(e Expectation) bool {
			return e.Kind == ExpectationBroken && e.Group == b.Group
		})
		if i < 0 {
			i = len(p.Expectations)
			e := Expectation{Kind: ExpectationBroken, Group: b.Group, Test: b.Group, How: b.Broken}
			e.Says = complaint(b.Output)
			p.Expectations = append(p.Expectations, e)
		}
		p.Expectations[i].Covers = append(p.Expectations[i].Covers, unit.name)
		return nil
	}
	e := Expectation{Kind: ExpectationChanged, Group: l.group, Test: base.labelOf(l.key)}
	e.Covers = []string{l.name, unit.name}
	e.Says = complaint(old.tests[l.key].Output)
	if l.why != "fails" {
		e.Says = l.why
	}
	switch {
	case branch.statusOf(l.key) == result.Skipped:
		e.Kind = ExpectationSkipped
	case branch.statusOf(l.key) == "" && len(branch.units[unit]) == 0:
		if to, renamed := lines.renamed(unit, base, branch); renamed {
			e.Renamed = to.name
			p.changedUnits[to] = true
		} else if to, moved := movedTests(base, branch)[l.key]; moved {
			p.changedUnits[to] = true
		} else {
			e.Kind = ExpectationRemoved
		}
	}
	lines.locate(&e, l.key, unit, old.tests[l.key].Output)
	if e.Kind == ExpectationChanged && branch.statusOf(l.key) == "" && e.Place == "" {
		e.Kind = ExpectationRemoved
	}
	p.changed[l.key] = e.Kind
	p.Expectations = append(p.Expectations, e)
	return &p.Expectations[len(p.Expectations)-1]
}

// wholeExpectation returns the expectation for tests that are not told apart.
func (p *proving) wholeExpectation(forms []oldForm, old result.Result) Expectation {
	e := Expectation{Kind: expectationFiles, Says: complaintOf(old.Output, 1)}
	for _, f := range forms {
		if f.kind != "added" {
			e.Covers = append(e.Covers, f.path)
		}
	}
	if old.Missing.Tests != "" {
		e.Says = "they do not start: " + old.Missing.Tests
	}
	e.Test = plaintext.FirstOf(e.Covers, 3)
	if len(e.Covers) == 0 {
		e.Test = "the base"
	}
	pairFinder{forms}.locate(&e, key{}, key{}, old.Output)
	return e
}
