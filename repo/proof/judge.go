package proof

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A newTest is a test that the base does not have, or has with fewer cases.
type newTest struct {
	unit     key
	label    string
	leaves   []key // the cases that the base does not have
	extended bool  // the base has the test, but not these cases
}

// newTests returns the tests that the branch has and the base has not. A test that only moved is not new.
func newTests(base, branch index) []newTest {
	var out []newTest
	seen, gone := map[key]bool{}, goneFrom(base, branch)
	for _, k := range branch.order {
		unit := unitOf(branch.tests[k])
		if seen[unit] {
			continue
		}
		seen[unit] = true
		n := newTest{unit: unit, extended: len(base.units[unit]) > 0}
		for _, leaf := range branch.units[unit] {
			if base.statusOf(leaf) == "" && !gone.hold(leaf) {
				n.leaves = append(n.leaves, leaf)
			}
		}
		if len(n.leaves) == 0 {
			continue
		}
		n.label = branch.labelOf(unit)
		if n.extended && len(n.leaves) == 1 {
			n.label = branch.labelOf(n.leaves[0])
		}
		out = append(out, n)
	}
	return out
}

// A goneTests holds the base's tests that the branch no longer has.
type goneTests struct {
	moved  map[key]bool // the branch's tests that stand for some of them in another group
	shapes map[key]bool // with the numbers in their names replaced
}

func goneFrom(base, branch index) goneTests {
	g := goneTests{map[key]bool{}, map[key]bool{}}
	for _, k := range movedTests(base, branch) {
		g.moved[k] = true
	}
	for _, k := range base.order {
		if branch.statusOf(k) == "" {
			g.shapes[shapeOf(k)] = true
		}
	}
	return g
}

// hold reports whether a test that the base does not have may be one of these: it moved, or one in the same
// group has a name that differs only in numbers. Such numbers, as of a time or an address, differ between
// runs.
func (g goneTests) hold(k key) bool { return g.moved[k] || g.shapes[shapeOf(k)] }

func shapeOf(k key) key { return key{group: k.group, name: numbers.ReplaceAllString(k.name, "0")} }

// numbers matches the parts of a test's name that may differ from run to run.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// addNewTest classifies a new test by its result on the base: red, guard or not red.
func (v *proving) addNewTest(n newTest, onBase, branch index) {
	v.NewTests = append(v.NewTests, n.label)
	switch {
	case v.changedUnits[n.unit]:
		v.Changed = append(v.Changed, n.label)
	case n.extended:
		v.Extended = append(v.Extended, n.label)
	}
	passed, ran := n.countIn(onBase, result.Passed), false
	red := n.redIn(onBase, branch)
	for _, k := range n.leaves {
		v.countOnBranch(n.label, onBase.statusOf(k), branch.statusOf(k))
		ran = ran || onBase.statusOf(k) != ""
		if onBase.statusOf(k) == result.Passed && branch.statusOf(k) == result.Passed {
			v.Cases.Guards++
		}
	}
	switch unrun, how := v.redUnrun(n, onBase, branch); {
	case len(red) > 0:
		v.addRed(n, red, branch)
	case !ran && unrun:
		v.addRed(n, n.notSkipped(branch), branch)
		if b, ok := onBase.brokenFor(n.unit.group, branch); ok && b.Broken == "does not compile" {
			v.uncompiled = append(v.uncompiled, n)
		}
		if how != "" {
			v.addNote(n.label, "%s", how)
		}
	case passed > 0:
		v.Guards = append(v.Guards, n.label)
	default:
		v.NotRed = append(v.NotRed, n.label)
		v.addNote(n.label, "%s on %s", map[bool]string{true: "is skipped", false: "does not run"}[ran], v.BaseName)
	}
}

// redIn returns the leaves that fail on the base. Some runners name only the cases of a test that fail: then
// the leaves that the base does not name are red, too, if a case fails there that the branch does not name.
func (n newTest) redIn(onBase, branch index) (red []key) {
	other := slices.ContainsFunc(onBase.units[n.unit], func(k key) bool {
		return onBase.statusOf(k) == result.Failed && branch.statusOf(k) == ""
	})
	for _, k := range n.leaves {
		if s := onBase.statusOf(k); s == result.Failed || s == "" && other {
			red = append(red, k)
		}
	}
	return red
}

// addRed records a test that fails on the base, and what the cases that fail there do on the branch. Only
// those that pass there show something.
func (v *proving) addRed(n newTest, red []key, branch index) {
	v.RedOnBase = append(v.RedOnBase, n.label)
	for _, k := range red {
		switch s := branch.statusOf(k); {
		case s == result.Failed:
			v.Cases.StillRed++
		case s == result.Skipped:
			v.Cases.NowSkipped++
		case v.changedUnits[n.unit]: // no new test, but another form of an old one
		case n.extended:
			v.Cases.Extended++
		default:
			v.Cases.New++
		}
	}
}

// notSkipped returns the leaves that are not skipped in x.
func (n newTest) notSkipped(x index) []key {
	skipped := func(k key) bool { return x.statusOf(k) == result.Skipped }
	return slices.DeleteFunc(slices.Clone(n.leaves), skipped)
}

// countIn returns how many leaves have the status s.
func (n newTest) countIn(x index, s result.Status) (count int) {
	for _, k := range n.leaves {
		if x.statusOf(k) == s {
			count++
		}
	}
	return count
}

// redUnrun reports whether a new test that did not run on the base counts as red, because its own tree kept
// it from running: it is broken, timed out, was stopped or did not start. how is the note for people.
func (v *proving) redUnrun(n newTest, onBase, branch index) (red bool, how string) {
	if onBase.anyFailed(n.unit) {
		return true, ""
	}
	if b, ok := onBase.brokenFor(n.unit.group, branch); ok {
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

// howBroken returns the note that a group of tests could not run on the base.
func (v *proving) howBroken(b result.Test) string {
	if b.Broken == "does not compile" || b.Broken == "could not be loaded" {
		return fmt.Sprintf("%s %s on %s, where something it uses is missing (counts as failing)", b.Group, b.Broken, v.BaseName)
	}
	return fmt.Sprintf("%s %s on %s (counts as failing)", b.Group, b.Broken, v.BaseName)
}

// addExtended records the tests of the base that pass there in their old form, fail there in their new
// form, and pass on the branch. A flaky test looks the same, so if nothing else is red, the overlay is run
// once more.
func (v *proving) addExtended(ctx context.Context, base, onBase, branch index) error {
	extended := v.extendedTests(base, onBase, branch)
	if len(extended) > 0 && len(v.RedOnBase) == 0 {
		again, err := v.onBase(ctx)
		if err != nil {
			return err
		}
		extended = v.extendedTests(base, newIndex(again).alignedTo(base, branch), branch)
	}
	for _, k := range extended {
		unit := unitOf(branch.tests[k])
		name, kind := branch.labelOf(unit), &v.Extended
		v.countOnBranch(name, result.Failed, result.Passed)
		if v.changedUnits[unit] { // its old cases do not pass on the new code
			kind = &v.Changed
		} else {
			v.Cases.Extended++
		}
		if slices.Contains(v.NewTests, name) {
			continue
		}
		v.NewTests, v.RedOnBase, *kind = append(v.NewTests, name), append(v.RedOnBase, name), append(*kind, name)
	}
	return nil
}

func (v *proving) extendedTests(base, onBase, branch index) (extended []key) {
	for _, k := range branch.order {
		passes := base.statusOf(k) == result.Passed && branch.statusOf(k) == result.Passed
		if passes && onBase.statusOf(k) == result.Failed {
			extended = append(extended, k)
		}
	}
	return extended
}

// addUncompiled records a group as extended if its changed test files do not compile on the base and the
// change has no new test.
func (v *proving) addUncompiled(base, onBase, branch index) {
	if len(v.NewTests) > 0 {
		return
	}
	for _, b := range onBase.broken {
		if base.wasBroken(b) || branch.wasBroken(b) {
			continue
		}
		name := "of " + b.Group
		v.NewTests, v.RedOnBase = append(v.NewTests, name), append(v.RedOnBase, name)
		if slices.ContainsFunc(v.Expectations, func(e Expectation) bool { return e.Group == b.Group }) {
			v.Changed = append(v.Changed, name)
		} else {
			v.Extended = append(v.Extended, name)
			v.Cases.Extended++
		}
		v.countOnBranch(name, result.Failed, result.Passed)
		v.addNote(name, "%s", v.howBroken(b))
	}
}

// findFixedTests records the tests of the base that fail there and pass on the branch. The failure has to be
// seen a second time, with the change's test files in place if there are any, so that neither chance nor a
// softened test counts as a fix.
func (v *proving) findFixedTests(ctx context.Context, base, branch index) error {
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
	onBase := newIndex(v.OnBase).alignedTo(base, branch)
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

// findRegressions compares each test of the base with the branch, and records those that no longer pass. A
// test that fails is run once more before it is recorded as a regression. A test that failed on the base, and
// passes there with the change's test files, failed by chance and counts as one that passes.
func (v *proving) findRegressions(base, branch index, rerun func() (result.Result, error)) error {
	var again index
	onBase := newIndex(v.OnBase).alignedTo(base, branch)
	moved, old := movedTests(base, branch), newIndex(v.OnOldTests).alignedTo(base)
	var lost []lostTest
	kept := 0 // of the tests that pass on the branch, the number that the base has
	for _, k := range base.order {
		s := base.statusOf(k)
		failsHere := s == result.Failed && branch.statusOf(k) == result.Failed
		byChance := failsHere && onBase.statusOf(k) == result.Passed
		if s != result.Passed && !byChance {
			if branch.statusOf(k) == result.Passed {
				kept++
			}
			v.noteFailedBefore(k, base, branch)
			continue
		}
		v.PassedBefore++
		if became := v.changed[k]; became != "" { // said as what it is, and for people to decide
			if branch.statusOf(k) == result.Passed || became == ExpectationChanged {
				kept++
			}
			continue
		}
		why := v.whyLost(k, base, branch, moved)
		if why == "fails" {
			if again.tests == nil {
				r, err := rerun()
				if err != nil {
					return err
				}
				again = newIndex(r).alignedTo(branch)
			}
			if again.statusOf(k) == result.Passed {
				v.addUnstable(k, base)
				v.StillPassing++
				continue
			}
		}
		if why == "" {
			kept++
			v.StillPassing++
			continue
		}
		if (why == "is gone" || why == "is skipped") && old.statusOf(k) == result.Passed {
			why += ", and would still pass"
		}
		if byChance {
			why = fmt.Sprintf("fails; on %s it failed once and passed once", v.BaseName)
		}
		lost = append(lost, lostTest{k, why})
	}
	v.addLost(lost, base)
	for _, b := range base.broken {
		if branch.wasBroken(b) {
			v.AlreadyFailing = append(v.AlreadyFailing, b.Name)
		}
	}
	v.Cases.Passing = max(0, branch.countAll(result.Passed)-kept)
	return nil
}

// whyLost returns why a test that passed on the base does not pass on the branch, or an empty string if it
// does.
func (v *proving) whyLost(k key, base, branch index, moved map[key]key) string {
	switch branch.statusOf(k) {
	case result.Passed:
		return ""
	case result.Failed:
		return "fails"
	case result.Skipped:
		return "is skipped"
	}
	if other, ok := moved[k]; ok && branch.statusOf(other) == result.Passed {
		return ""
	}
	if b, ok := branch.brokenFor(k.group, base); ok {
		return "did not run: " + b.Name
	}
	unit := unitOf(base.tests[k])
	if len(branch.units[unit]) > 0 && branch.countPassing(unit) >= base.countPassing(unit) && !branch.anyFailed(unit) {
		return "" // its cases have new names and are no fewer
	}
	for _, other := range branch.units[unit] { // some runners name only the cases that fail
		if branch.statusOf(other) == result.Failed && base.statusOf(other) == "" && other.name != k.name {
			return "fails in a case"
		}
	}
	return "is gone"
}
