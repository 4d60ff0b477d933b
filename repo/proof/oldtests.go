package proof

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
)

// An oldForm is a file that decides about tests, in the form that it has in the tree of the fourth run.
type oldForm struct {
	path string
	kind string // as in diff.Change
	was  string // its text on the base
	is   string // its text on the branch
	// lays is the text to write: the branch's file with the tests or settings of the base. If it is empty, the file
	// is as on the base.
	lays string
}

// oldForms returns the base's versions of the files with which the change decides what tests expect, which of them
// run, or how. It returns none if the base's tests are as they were, or nothing else was changed.
func (v *proving) oldForms() (forms []oldForm) {
	touches, others := false, false
	for _, c := range v.changes {
		f, ok := v.oldFormOf(c)
		if !ok {
			others = others || !c.IsDocument()
			continue
		}
		forms = append(forms, f)
		// A new test alone changes nothing for the old ones; a new helper or new settings may.
		touches = touches || c.Kind != "added" || !project.IsTest(v.project.Kind, c.Path) || project.SetsUpTests(c.Path)
	}
	forms = dropMoved(forms)
	if !touches || !others || len(forms) == 0 {
		return nil
	}
	return forms
}

// oldFormOf returns the form of one changed path. It returns false if the path is as on the branch in the fourth run.
func (v *proving) oldFormOf(c diff.Change) (oldForm, bool) {
	f := oldForm{path: c.Path, kind: c.Kind}
	kind := v.project.Kind
	if was, err := v.checker.Cache.Mirror().Commits().ReadFile(v.work.Base(), c.Path); err == nil {
		f.was = string(was)
	}
	decides := project.DecidesTests(kind, c.Path)
	switch code := project.IsCode(c.Path); {
	case decides || c.Kind == "added":
	case code:
		decides = !project.HoldsTests(kind, c.Path) && project.UsesTestLibrary(f.was)
	default:
		decides = !project.HoldsTestSettings(c.Path) && project.ReadByTestsAlone(v.work.FS(), kind, c.Path)
	}
	splices := c.Kind == "modified" && (project.HoldsTests(kind, c.Path) || project.HoldsTestSettings(c.Path))
	switch {
	case strings.Contains(c.Mode, "submodule") || !decides && !splices:
		return f, false
	case c.Kind == "added" && !project.IsCode(c.Path) && !project.SetsUpTests(c.Path):
		return f, false // the data of a new case
	}
	if c.Kind != "deleted" {
		f.is, _ = readRegular(v.work.Root(), c.Path) // a link or a pipe has no text
	}
	switch {
	case decides:
	case project.HoldsTests(kind, c.Path):
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
			gone, came := f, o
			if f.kind == "added" {
				gone, came = o, f
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

// oldCommand returns the project with the command of the fourth run. It is narrowed to the packages of the old tests
// if these are all that is touched and the runner can select them, as go test can.
func (v *proving) oldCommand(forms []oldForm) (tests project.Project, narrowed bool) {
	tests = v.project
	if tests.Kind == "go" || tests.Kind == "rust" { // the runners of these build what they test
		tests.Build = ""
	}
	var paths []string
	for _, f := range forms {
		if tests.Kind != "go" || !project.IsTest("go", f.path) {
			return tests, false
		}
		paths = append(paths, f.path)
	}
	parts, ok := tests.NearFirst(v.work.FS(), paths)
	if ok {
		tests.Test, tests.Written = parts.Near, ""
	}
	return tests, ok
}

// onOldTests returns the result of the fourth run: the branch with the base's versions of the files that decide about
// tests. A result of exactly this tree is reused, unless afresh is set.
func (v *proving) onOldTests(ctx context.Context, forms []oldForm, afresh bool) (result.Result, error) {
	tests, _ := v.oldCommand(forms)
	tree, err := v.work.Tree(ctx)
	if err != nil {
		return result.Result{}, err
	}
	tree = "old tests on " + tree
	if r, known := v.checker.KnownTree(v.work.Base(), tree, tests); known && !afresh {
		return r, nil
	}
	stays := func(c diff.Change) bool {
		return slices.ContainsFunc(forms, func(f oldForm) bool { return f.path == c.Path })
	}
	r, err := v.checker.RunTree(ctx, v.work.Base(), func(onto *os.Root) error {
		if err := LayChanges(slices.DeleteFunc(slices.Clone(v.changes), stays), v.work.Root(), onto); err != nil {
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
		v.checker.NoteTree(v.work.Base(), tree, r)
	}
	return r, err
}

// findChanged runs the old tests on the new code and records what they expect and the change does not do. What does
// not pass has to be seen a second time, since it may be chance.
func (v *proving) findChanged(ctx context.Context, base, branch index) error {
	if !v.withoutOldTests {
		v.forms = v.oldForms()
	}
	forms := v.forms
	if len(forms) == 0 {
		return nil
	}
	first, err := v.onOldTests(ctx, forms, false)
	if err != nil {
		return err
	}
	v.OnOldTests = first
	named := v.Base.EveryTestNamed() && v.Branch.EveryTestNamed()
	fails := func(r result.Result) bool { return v.failsAsAWhole(r) }
	if named {
		fails = func(r result.Result) bool {
			return v.startFails(r) || len(v.lostOn(newIndex(r).alignedTo(base), base, branch)) > 0
		}
	}
	if !fails(first) {
		v.noteUnknown(first)
		return nil
	}
	again, err := v.onOldTests(ctx, forms, true)
	if err != nil {
		return err
	}
	switch lines := (pairFinder{forms}); {
	case !fails(again):
	case !named || v.startFails(first) || v.startFails(again):
		v.Expectations = append(v.Expectations, v.wholeExpectation(forms, first))
	default:
		old, second := newIndex(first).alignedTo(base), v.lostOn(newIndex(again).alignedTo(base), base, branch)
		for _, l := range v.lostOn(old, base, branch) {
			if slices.ContainsFunc(second, func(o lostCase) bool { return o.key == l.key }) {
				v.addChanged(l, lines, old, base, branch)
			}
		}
	}
	v.noteUnknown(first)
	return nil
}

// noteUnknown records that the old tests did not run to their end, so that nothing is known of the rest.
func (v *proving) noteUnknown(old result.Result) {
	if old.Stopped != "" && len(v.Expectations) == 0 {
		v.OldUnknown = old.StopReason()
	}
}

// startFails reports whether the old tests, whose names are known on the base and on the branch, could not be counted.
func (v *proving) startFails(old result.Result) bool {
	return old.Stopped == "" && (!old.EveryTestNamed() || old.Missing.Tests != "")
}

// failsAsAWhole reports whether the old tests fail on the new code, where the tests have no names.
func (v *proving) failsAsAWhole(old result.Result) bool {
	switch {
	case old.Stopped != "" || !v.Branch.TestsOK && !v.Branch.Counted:
		return false // the branch's own tests fail already
	case v.Base.Counted && old.Counted:
		return old.Failed > max(v.Base.Failed, v.Branch.Failed) || old.Passed < min(v.Base.Passed, v.Branch.Passed)
	}
	return v.Base.TestsOK && !old.TestsOK
}

// A lostCase is a case of the base that passes there and does not pass in its old form on the new code.
type lostCase struct {
	key
	why string
}

// lostOn returns the cases that pass on the base and not in the old tests on the new code. Those that fail on the
// branch in their new form, too, are regressions and not among them.
func (v *proving) lostOn(old, base, branch index) (lost []lostCase) {
	_, narrowed := v.oldCommand(v.forms)
	movedOld, moved := movedTests(base, old), movedTests(base, branch)
	for _, k := range base.order {
		if base.statusOf(k) != result.Passed || narrowed && !old.hasGroup(k.group) {
			continue
		}
		why := v.whyLost(k, base, old, movedOld)
		if why == "" || old.Stopped != "" && old.statusOf(k) != result.Failed {
			continue
		}
		if now := v.whyLost(k, base, branch, moved); now == "" || now == "is skipped" || now == "is gone" {
			lost = append(lost, lostCase{k, why})
		}
	}
	return lost
}

// hasGroup reports whether tests of the group ran, or could not run.
func (x index) hasGroup(group string) bool {
	return x.groups[group] || slices.ContainsFunc(x.broken, func(b result.Test) bool { return b.Group == group })
}

// addChanged records one case as a changed expectation. A group that cannot be run with the old tests is recorded
// once.
func (v *proving) addChanged(l lostCase, lines pairFinder, old, base, branch index) {
	if v.changed == nil {
		v.changed, v.changedUnits = map[key]ExpectationKind{}, map[key]bool{}
	}
	unit := unitOf(base.tests[l.key])
	v.changed[l.key], v.changedUnits[unit] = ExpectationBroken, true
	if b, broken := old.brokenFor(l.group, base); broken && old.statusOf(l.key) == "" {
		i := slices.IndexFunc(v.Expectations, func(e Expectation) bool {
			return e.Kind == ExpectationBroken && e.Group == b.Group
		})
		if i < 0 {
			i = len(v.Expectations)
			e := Expectation{Kind: ExpectationBroken, Group: b.Group, Test: b.Group, How: b.Broken}
			e.Says = complaint(b.Output)
			v.Expectations = append(v.Expectations, e)
		}
		v.Expectations[i].Covers = append(v.Expectations[i].Covers, unit.name)
		return
	}
	e := Expectation{Kind: ExpectationChanged, Group: l.group, Test: base.labelOf(l.key)}
	e.Covers, e.Says = []string{l.name, unit.name}, complaint(old.tests[l.key].Output)
	if l.why != "fails" {
		e.Says = l.why
	}
	switch {
	case branch.statusOf(l.key) == result.Skipped:
		e.Kind = ExpectationSkipped
	case branch.statusOf(l.key) == "" && len(branch.units[unit]) == 0:
		if to, renamed := lines.renamed(unit, base, branch); renamed {
			e.Renamed = to.name
			v.changedUnits[to] = true
		} else if to, moved := movedTests(base, branch)[l.key]; moved {
			v.changedUnits[to] = true
		} else {
			e.Kind = ExpectationRemoved
		}
	}
	lines.locate(&e, l.key, unit, old.tests[l.key].Output)
	if e.Kind == ExpectationChanged && branch.statusOf(l.key) == "" && e.Place == "" {
		e.Kind = ExpectationRemoved
	}
	v.changed[l.key] = e.Kind
	v.Expectations = append(v.Expectations, e)
}

// wholeExpectation returns the expectation for tests that are not told apart.
func (v *proving) wholeExpectation(forms []oldForm, old result.Result) Expectation {
	e := Expectation{Kind: ExpectationFiles, Says: complaintOf(old.Output, 1)}
	for _, f := range forms {
		if f.kind != "added" {
			e.Covers = append(e.Covers, f.path)
		}
	}
	if old.Missing.Tests != "" {
		e.Says = "they do not start: " + old.Missing.Tests
	}
	e.Test = result.ListNames(e.Covers, 3)
	if len(e.Covers) == 0 {
		e.Test = "the base"
	}
	pairFinder{forms}.locate(&e, key{}, key{}, old.Output)
	return e
}
