package proof

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A newTest is a test that the base does not have, or new cases of one that it has.
type newTest struct {
	unit   key
	label  string
	leaves []key
	cases  bool // the base has the test, but not these cases
}

// newTests are what the branch has and the base has not. A test that only moved is none.
func newTests(base, branch index) []newTest {
	var out []newTest
	seen := map[key]bool{}
	for _, k := range branch.order {
		unit := unitOf(branch.tests[k])
		if seen[unit] {
			continue
		}
		seen[unit] = true
		n := newTest{unit: unit, label: branch.labelOf(unit), cases: len(base.units[unit]) > 0}
		for _, leaf := range branch.units[unit] {
			if base.statusOf(leaf) == "" && !cameFrom(leaf, base, branch) {
				n.leaves = append(n.leaves, leaf)
			}
		}
		if len(n.leaves) == 0 {
			continue
		}
		if n.cases && len(n.leaves) == 1 {
			n.label = branch.labelOf(n.leaves[0])
		} else if n.cases {
			n.label = fmt.Sprintf("%s (%d new cases)", n.label, len(n.leaves))
		}
		out = append(out, n)
	}
	return out
}

// cameFrom reports whether the base has the test in another group, where it is no more.
func cameFrom(k key, base, branch index) bool {
	for other := range base.tests {
		if other.name == k.name && other.group != k.group && branch.statusOf(other) == "" {
			return true
		}
	}
	return false
}

// addNewTest judges a new test by what it does on the base.
func (v *proving) addNewTest(n newTest, base, onBase, branch index) {
	v.NewTests = append(v.NewTests, n.label)
	for _, k := range n.leaves {
		if onBase.statusOf(k) == result.Failed {
			v.RedOnBase = append(v.RedOnBase, n.label)
			return
		}
	}
	ran := slices.ContainsFunc(n.leaves, func(k key) bool { return onBase.statusOf(k) != "" })
	if red, how := v.redUnrun(n, onBase, branch); !ran && red {
		v.RedOnBase = append(v.RedOnBase, n.label)
		if how != "" {
			v.addNote(n.label, "%s", how)
		}
		return
	}
	if n.cases {
		v.weakCases = append(v.weakCases, n.label)
	} else {
		v.NotRed = append(v.NotRed, n.label)
	}
	switch {
	case !ran:
		v.addNote(n.label, "does not run on %s", v.BaseName)
	case n.passesIn(onBase):
		v.addNote(n.label, "passes on %s already", v.BaseName)
	default:
		v.addNote(n.label, "is skipped on %s", v.BaseName)
	}
}

func (n newTest) passesIn(x index) bool {
	return slices.ContainsFunc(n.leaves, func(k key) bool { return x.statusOf(k) == result.Passed })
}

// redUnrun judges a new test that the base did not come to run: it is red when what
// stopped it is its own fault there.
func (v *proving) redUnrun(n newTest, onBase, branch index) (red bool, how string) {
	if onBase.anyFailed(n.unit) {
		return true, ""
	}
	if b, ok := onBase.brokenFor(n.unit.group, branch.groups); ok {
		return true, v.howBroken(b)
	}
	switch {
	case v.OnBase.Stopped == "time":
		return true, fmt.Sprintf("the tests time out on %s with it (counts as failing)", v.BaseName)
	case v.OnBase.Stopped != "":
		return true, fmt.Sprintf("the tests are stopped on %s with it: %s (counts as failing)", v.BaseName, v.OnBase.StopReason())
	case !v.OnBase.Counted && v.OnBase.ExitCode != 0:
		return true, fmt.Sprintf("the tests do not start on %s with it (counts as failing)", v.BaseName)
	}
	return false, ""
}

// howBroken says that a group of tests could not run on the base.
func (v *proving) howBroken(b result.Test) string {
	if b.Broken == "does not compile" || b.Broken == "could not be loaded" {
		return fmt.Sprintf("%s %s on %s, where something it uses is missing (counts as failing)", b.Group, b.Broken, v.BaseName)
	}
	return fmt.Sprintf("%s %s on %s (counts as failing)", b.Group, b.Broken, v.BaseName)
}

// addChanged finds the tests that the base has, that pass there as they were, fail there
// as they are now, and pass on the branch. A test that fails now and then looks the same,
// so where nothing else is red the base is run once more.
func (v *proving) addChanged(ctx context.Context, base, onBase, branch index) error {
	changed := v.changedTests(base, onBase, branch)
	if len(changed) > 0 && len(v.RedOnBase) == 0 {
		again, err := v.onBase(ctx)
		if err != nil {
			return err
		}
		changed = v.changedTests(base, newIndex(again), branch)
	}
	for _, name := range changed {
		v.NewTests, v.Changed, v.RedOnBase = append(v.NewTests, name), append(v.Changed, name), append(v.RedOnBase, name)
	}
	return nil
}

func (v *proving) changedTests(base, onBase, branch index) []string {
	var out []string
	for _, k := range branch.order {
		if base.statusOf(k) != result.Passed || onBase.statusOf(k) != result.Failed || branch.statusOf(k) != result.Passed {
			continue
		}
		if name := branch.labelOf(unitOf(branch.tests[k])); !slices.Contains(out, name) && !slices.Contains(v.NewTests, name) {
			out = append(out, name)
		}
	}
	return out
}

// addUncompiled records a group as changed if the changed test files do not compile on the base
// and no new test stands for them.
func (v *proving) addUncompiled(base, onBase, branch index) {
	if len(v.NewTests) > 0 {
		return
	}
	for _, b := range onBase.broken {
		if base.wasBroken(b) || branch.wasBroken(b) {
			continue
		}
		name := "of " + b.Group
		v.NewTests, v.Changed, v.RedOnBase = append(v.NewTests, name), append(v.Changed, name), append(v.RedOnBase, name)
		v.addNote(name, "%s", v.howBroken(b))
	}
}

// findMended finds the tests that the base has, that fail there, and pass on the branch. That
// they fail is seen once more, with the change's test files in place if there are any, so
// that neither luck nor a softened test passes for a fix.
func (v *proving) findMended(ctx context.Context, base, branch index) error {
	var failing []key
	for _, k := range base.order {
		if base.statusOf(k) == result.Failed && branch.statusOf(k) == result.Passed {
			failing = append(failing, k)
		}
	}
	if len(failing) == 0 && len(base.broken) == 0 {
		return nil
	}
	if v.tests.isEmpty() {
		again, err := v.onBase(ctx)
		if err != nil {
			return err
		}
		v.OnBase = again
	}
	onBase := newIndex(v.OnBase)
	for _, k := range failing {
		if onBase.statusOf(k) == result.Failed {
			v.Mended = append(v.Mended, base.labelOf(k))
		}
	}
	for _, b := range base.broken {
		if onBase.wasBroken(b) && !branch.wasBroken(b) && branch.groups[b.Group] {
			name := "of " + b.Group
			v.Mended = append(v.Mended, name)
			v.addNote(name, "%s %s on %s", b.Group, b.Broken, v.BaseName)
		}
	}
	return nil
}

// findRegressions compares each test of the base with the branch, and records those that no longer
// pass. A test that fails is run once more before it is called a regression.
func (v *proving) findRegressions(base, branch index, rerun func() (result.Result, error)) error {
	var again index
	for _, k := range base.order {
		switch base.statusOf(k) {
		case result.Failed:
			if branch.statusOf(k) == result.Failed {
				v.AlreadyFailing = append(v.AlreadyFailing, base.labelOf(k))
			}
			continue
		case result.Skipped:
			continue
		}
		v.PassedBefore++
		why := v.whyLost(k, base, branch)
		if why == "fails" {
			if again.tests == nil {
				r, err := rerun()
				if err != nil {
					return err
				}
				again = newIndex(r)
			}
			if again.statusOf(k) == result.Passed {
				v.Unstable = append(v.Unstable, base.labelOf(k))
				why = ""
			}
		}
		if why == "" {
			v.StillPassing++
			continue
		}
		v.Regressions = append(v.Regressions, base.labelOf(k))
		v.addNote(base.labelOf(k), "%s", why)
	}
	for _, b := range base.broken {
		if branch.wasBroken(b) {
			v.AlreadyFailing = append(v.AlreadyFailing, b.Name)
		}
	}
	return nil
}

// whyLost says why a test that passed on the base does not pass on the branch; empty if it does.
func (v *proving) whyLost(k key, base, branch index) string {
	switch branch.statusOf(k) {
	case result.Passed:
		return ""
	case result.Failed:
		return "fails"
	case result.Skipped:
		return "is skipped"
	}
	if other, ok := branch.movedTo(k, base); ok && branch.statusOf(other) == result.Passed {
		return ""
	}
	if b, ok := branch.brokenFor(k.group, base.groups); ok {
		return "did not run: " + b.Name
	}
	unit := unitOf(base.tests[k])
	if len(branch.units[unit]) > 0 && branch.countPassing(unit) >= base.countPassing(unit) && !branch.anyFailed(unit) {
		return "" // its cases have other names now, and are no fewer
	}
	return "is gone"
}

// judgeFigures compares the runs where their tests have no names: by files, counts and
// exit codes.
func (v *proving) judgeFigures() {
	v.NewTests = v.tests.testFiles()
	for _, c := range v.changes {
		if c.Kind != "added" && slices.Contains(v.NewTests, c.Path) {
			v.Changed = append(v.Changed, c.Path)
		}
	}
	v.GreenOnBranch = v.Branch.TestsOK
	if v.Base.Counted && v.Branch.Counted {
		v.PassedBefore, v.StillPassing = v.Base.Passed, min(v.Base.Passed, v.Branch.Passed)
		if fewer := v.Base.Passed - v.Branch.Passed; fewer > 0 {
			v.Regressions = append(v.Regressions, fmt.Sprintf("%d fewer tests pass than before", fewer))
		}
	}
	red := v.OnBase.TestsRan && !v.OnBase.TestsOK && v.Base.TestsOK
	if v.Base.Counted && v.OnBase.Counted {
		red = v.OnBase.Failed > v.Base.Failed
	}
	switch {
	case len(v.NewTests) == 0:
		v.Why = "no test file was added or changed, so nothing was seen to fail on " + v.BaseName
	case !v.Base.TestsOK && !v.Base.Counted:
		v.Why = "the tests fail on " + v.BaseName + " already, and their output does not tell one from another"
	case red:
		v.RedOnBase = slices.Clone(v.NewTests)
		for _, name := range v.NewTests {
			v.addNote(name, "the tests fail on %s with this file (as expected)", v.BaseName)
		}
		v.Shown = v.GreenOnBranch
	default:
		v.NotRed = slices.Clone(v.NewTests)
		for _, name := range v.NewTests {
			v.addNote(name, "the tests pass on %s with this file", v.BaseName)
		}
		v.Why = "the tests pass on " + v.BaseName + " with the changed test files, so it was not seen that the change mends anything"
	}
	if v.Why == "" && !v.GreenOnBranch {
		v.Why = "the tests do not pass on the branch"
	}
}
