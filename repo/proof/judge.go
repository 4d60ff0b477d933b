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
	seen := map[key]bool{}
	gone := goneFrom(base, branch)
	for _, k := range branch.order {
		unit := unitOf(branch.tests[k])
		if seen[unit] {
			continue
		}
		seen[unit] = true
		n := newTest{unit: unit, extended: len(base.units[unit]) > 0}
		for _, leaf := range branch.units[unit] {
			if base.statusOf(leaf) == "" && !gone.covers(leaf) {
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

// covers reports whether a test that the base does not have may be one of these: it moved, or one in the same
// group has a name that differs only in numbers. Such numbers, as of a time or an address, differ between
// runs.
func (g goneTests) covers(k key) bool { return g.moved[k] || g.shapes[shapeOf(k)] }

func shapeOf(k key) key { return key{group: k.group, name: numbers.ReplaceAllString(k.name, "0")} }

// numbers matches the parts of a test's name that may differ from run to run.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// addNewTest classifies a new test by its result on the base: red, guard or not red.
func (p *proving) addNewTest(n newTest, onBase, branch index) {
	p.NewTests = append(p.NewTests, n.label)
	switch {
	case p.changedUnits[n.unit]:
		p.Changed = append(p.Changed, n.label)
	case n.extended:
		p.Extended = append(p.Extended, n.label)
	}
	passed := n.countIn(onBase, result.Passed)
	ran := false
	red := n.redIn(onBase, branch)
	for _, k := range n.leaves {
		p.countOnBranch(n.label, onBase.statusOf(k), branch.statusOf(k))
		ran = ran || onBase.statusOf(k) != ""
		if onBase.statusOf(k) == result.Passed && branch.statusOf(k) == result.Passed {
			p.Cases.Guards++
		}
	}
	switch unrun, how := p.redUnrun(n, onBase, branch); {
	case len(red) > 0:
		p.addRed(n, red, branch)
	case !ran && unrun:
		p.addRed(n, n.notSkipped(branch), branch)
		if b, ok := onBase.brokenFor(n.unit.group, branch); ok && b.Broken == result.DoesNotCompile {
			p.uncompiled = append(p.uncompiled, n)
		}
		if how != "" {
			p.addNote(n.label, "%s", how)
		}
	case passed > 0:
		p.Guards = append(p.Guards, n.label)
	default:
		p.NotRed = append(p.NotRed, n.label)
		p.addNote(n.label, "%s on %s",
			map[bool]string{true: "is skipped", false: "does not run"}[ran], p.BaseName)
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
func (p *proving) addRed(n newTest, red []key, branch index) {
	p.RedOnBase = append(p.RedOnBase, n.label)
	for _, k := range red {
		switch s := branch.statusOf(k); {
		case s == result.Failed:
			p.Cases.StillRed++
		case s == result.Skipped:
			p.Cases.NowSkipped++
		case p.changedUnits[n.unit]: // no new test, but another form of an old one
		case n.extended:
			p.Cases.Extended++
		default:
			p.Cases.New++
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
func (p *proving) redUnrun(n newTest, onBase, branch index) (red bool, how string) {
	if onBase.anyFailed(n.unit) {
		return true, ""
	}
	if b, ok := onBase.brokenFor(n.unit.group, branch); ok {
		return true, p.howBroken(b)
	}
	switch {
	case p.OnBase.Stopped == "time":
		return true, fmt.Sprintf("the tests time out on %s with it (counts as failing)", p.BaseName)
	case p.OnBase.Stopped != "":
		return true, fmt.Sprintf("the tests are stopped on %s with it: %s (counts as failing)", p.BaseName,
			p.OnBase.StopReason())
	case !p.OnBase.Counted && p.OnBase.ExitCode != 0:
		return true, fmt.Sprintf("the tests do not start on %s with it (counts as failing)", p.BaseName)
	}
	return false, ""
}

// howBroken returns the note that a group of tests could not run on the base.
func (p *proving) howBroken(b result.Test) string {
	if b.Broken == result.DoesNotCompile || b.Broken == "could not be loaded" {
		return fmt.Sprintf("%s %s on %s, where something it uses is missing (counts as failing)", b.Group,
			b.Broken, p.BaseName)
	}
	return fmt.Sprintf("%s %s on %s (counts as failing)", b.Group, b.Broken, p.BaseName)
}

// addExtended records the tests of the base that pass there in their old form, fail there in their new
// form, and pass on the branch. A flaky test looks the same, so if nothing else is red, the overlay is run
// once more.
func (p *proving) addExtended(ctx context.Context, base, onBase, branch index) error {
	extended := p.extendedTests(base, onBase, branch)
	if len(extended) > 0 && len(p.RedOnBase) == 0 {
		again, err := p.onBase(ctx)
		if err != nil {
			return err
		}
		extended = p.extendedTests(base, newIndex(again).alignedTo(base, branch), branch)
	}
	for _, k := range extended {
		unit := unitOf(branch.tests[k])
		name := branch.labelOf(unit)
		kind := &p.Extended
		p.countOnBranch(name, result.Failed, result.Passed)
		if p.changedUnits[unit] { // its old cases do not pass on the new code
			kind = &p.Changed
		} else {
			p.Cases.Extended++
		}
		if slices.Contains(p.NewTests, name) {
			continue
		}
		p.NewTests = append(p.NewTests, name)
		p.RedOnBase = append(p.RedOnBase, name)
		*kind = append(*kind, name)
	}
	return nil
}

// extendedTests returns the tests that addExtended is about, and those that were skipped in their old form.
// One that did not end on the base, since another
// test ended the run there, did not fail: it waited, or ran beside that one.
func (p *proving) extendedTests(base, onBase, branch index) (extended []key) {
	other := slices.ContainsFunc(onBase.order, func(k key) bool {
		t := onBase.tests[k]
		return t.Status == result.Failed && !t.Unfinished && base.statusOf(k) != result.Failed
	})
	for _, k := range branch.order {
		before := base.statusOf(k)
		passes := (before == result.Passed || before == result.Skipped) && branch.statusOf(k) == result.Passed
		ended := !onBase.tests[k].Unfinished || !other && !onBase.tests[k].Waits
		if passes && ended && onBase.statusOf(k) == result.Failed {
			extended = append(extended, k)
		}
	}
	return extended
}

// addUncompiled records a group as extended if its changed test files do not compile on the base and the
// change has no new test.
func (p *proving) addUncompiled(base, onBase, branch index) {
	if len(p.NewTests) > 0 {
		return
	}
	for _, b := range onBase.broken {
		if base.wasBroken(b) || branch.wasBroken(b) {
			continue
		}
		name := "of " + b.Group
		p.NewTests = append(p.NewTests, name)
		p.RedOnBase = append(p.RedOnBase, name)
		if slices.ContainsFunc(p.Expectations, func(e Expectation) bool { return e.Group == b.Group }) {
			p.Changed = append(p.Changed, name)
		} else {
			p.Extended = append(p.Extended, name)
			p.Cases.Extended++
		}
		p.countOnBranch(name, result.Failed, result.Passed)
		p.addNote(name, "%s", p.howBroken(b))
	}
}

// findFixedTests records the tests of the base that fail there and pass on the branch. The failure has to be
// seen a second time, with the change's test files in place if there are any, so that neither chance nor a
// softened test counts as a fix.
func (p *proving) findFixedTests(ctx context.Context, base, branch index) error {
	var failing []key
	for _, k := range base.order {
		if base.statusOf(k) == result.Failed && branch.statusOf(k) == result.Passed {
			failing = append(failing, k)
		}
	}
	if len(failing) == 0 && len(base.broken) == 0 {
		return nil
	}
	if p.tests.isEmpty() {
		again, err := p.onBase(ctx)
		if err != nil {
			return err
		}
		p.OnBase = again
	}
	onBase := newIndex(p.OnBase).alignedTo(base, branch)
	for _, k := range failing {
		if onBase.statusOf(k) == result.Failed {
			p.Fixed = append(p.Fixed, base.labelOf(k))
		}
	}
	for _, b := range base.broken {
		if onBase.wasBroken(b) && !branch.wasBroken(b) && branch.groups[b.Group] {
			name := "of " + b.Group
			p.Fixed = append(p.Fixed, name)
			p.addNote(name, "%s %s on %s", b.Group, b.Broken, p.BaseName)
		}
	}
	return nil
}
