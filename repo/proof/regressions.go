package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// regressions is the state while each test of the base is followed on the branch.
type regressions struct {
	*proving
	base, branch index
	onBase       index       // the base with the change's test files
	old          index       // the branch with the base's test files
	moved        map[key]key // by test of the base, the test of the branch that it became
	rerun        func() (result.Result, error)
	again        index // of rerun; empty: it did not run yet

	lost []lostTest
	kept int // of the tests that pass on the branch, the number that the base has
}

// A lostTest is a test that passed on the base, and the reason why it does not pass on the branch.
type lostTest struct {
	key
	why string
}

// findRegressions compares each test of the base with the branch, and records those that no longer pass. A
// test that fails is run once more before it is recorded as a regression. A test that failed on the base, and
// passes there with the change's test files, failed by chance and counts as one that passes.
func (p *proving) findRegressions(base, branch index, rerun func() (result.Result, error)) error {
	r := &regressions{
		proving: p,
		base:    base,
		branch:  branch,
		onBase:  newIndex(p.OnBase).alignedTo(base, branch),
		old:     newIndex(p.OnOldTests).alignedTo(base),
		moved:   movedTests(base, branch),
		rerun:   rerun,
	}
	for _, k := range base.order {
		if err := r.follow(k); err != nil {
			return err
		}
	}
	p.addLost(r.lost, base)
	for _, b := range base.broken {
		switch {
		case branch.wasBroken(b) && b.Absent != "":
			p.addCannotRun(b.Name, b.Absent)
		case branch.wasBroken(b):
			p.AlreadyFailing = append(p.AlreadyFailing, b.Name)
		}
	}
	p.Cases.Passing = max(0, branch.countAll(result.Passed)-r.kept)
	return nil
}

// follow records what became of one test of the base.
func (r *regressions) follow(k key) error {
	passes := r.branch.statusOf(k) == result.Passed
	if r.base.statusOf(k) != result.Passed && !r.failedByChance(k) {
		if passes {
			r.kept++
		}
		r.noteFailedBefore(k, r.base, r.branch)
		return nil
	}
	r.PassedBefore++
	if became := r.changed[k]; became != "" { // said as what it is, and for people to decide
		if passes || became == ExpectationChanged {
			r.kept++
		}
		return nil
	}
	why := whyLost(k, r.base, r.branch, r.moved)
	if why == "" {
		r.kept++
		r.StillPassing++
		return nil
	}
	if why == "fails" {
		if stands, err := r.failsAgain(k); err != nil || !stands {
			return err
		}
	}
	r.lost = append(r.lost, lostTest{k, r.describe(k, why)})
	return nil
}

// failedByChance reports whether a test that fails on the base and on the branch passes on the base with the
// change's test files.
func (r *regressions) failedByChance(k key) bool {
	return r.base.statusOf(k) == result.Failed && r.branch.statusOf(k) == result.Failed &&
		r.onBase.statusOf(k) == result.Passed
}

// failsAgain reports whether a test fails on the branch a second time. One that passes then is unstable. The
// branch is run again for the first such test only.
func (r *regressions) failsAgain(k key) (bool, error) {
	if r.again.tests == nil {
		second, err := r.rerun()
		if err != nil {
			return false, err
		}
		r.again = newIndex(second).alignedTo(r.branch)
	}
	if r.again.statusOf(k) != result.Passed {
		return true, nil
	}
	r.addUnstable(k, r.base)
	r.StillPassing++
	return false, nil
}

// describe says more about why a test was lost.
func (r *regressions) describe(k key, why string) string {
	switch {
	case r.failedByChance(k):
		return fmt.Sprintf("fails; on %s it failed once and passed once", r.BaseName)
	case (why == "is gone" || why == "is skipped") && r.old.statusOf(k) == result.Passed:
		return why + ", and would still pass"
	}
	return why
}

// whyLost returns why a test that passed on the base does not pass on the branch, or an empty string if it
// does.
func whyLost(k key, base, branch index, moved map[key]key) string {
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
	if len(branch.units[unit]) > 0 && branch.countPassing(unit) >= base.countPassing(unit) &&
		!branch.anyFailed(unit) {
		return "" // its cases have new names and are no fewer
	}
	for _, other := range branch.units[unit] { // some runners name only the cases that fail
		if branch.statusOf(other) == result.Failed && base.statusOf(other) == "" && other.name != k.name {
			return "fails in a case"
		}
	}
	return "is gone"
}

// addLost records the regressions. Those that share a name become one, which says how many of them there are.
func (p *proving) addLost(lost []lostTest, base index) {
	var names []key
	reasons := map[key][]string{}
	for _, l := range lost {
		first := key{group: l.group, name: l.name}
		if reasons[first] == nil {
			names = append(names, first)
		}
		reasons[first] = append(reasons[first], l.why)
	}
	for _, first := range names {
		label := base.labelOf(first)
		all := reasons[first]
		why := all[0]
		if of := len(base.shared[first]); of > 1 {
			label = fmt.Sprintf("%d of %d tests named %s", len(all), of, label)
			if slices.Sort(all); len(all) > 1 && all[0] == all[len(all)-1] {
				why = "each " + why
			} else if len(all) > 1 {
				count := func(why string, n int) string { return fmt.Sprintf("%d %s", n, why) }
				why = strings.Join(countEach(all, count), ", ")
			}
		}
		p.Regressions = append(p.Regressions, label)
		p.addNote(label, "%s", why)
	}
}

// noteFailedBefore records a test that fails on the base and does not pass on the branch.
func (p *proving) noteFailedBefore(k key, base, branch index) {
	switch {
	case base.statusOf(k) != result.Failed:
	case branch.tests[k].Absent != "" && base.tests[k].Absent != "":
		p.addCannotRun(base.labelOf(k), base.tests[k].Absent)
	case branch.statusOf(k) == result.Failed:
		p.AlreadyFailing = append(p.AlreadyFailing, base.labelOf(k))
	case branch.statusOf(k) == result.Skipped:
		p.NowSkipped = append(p.NowSkipped, base.labelOf(k))
	}
}

// addCannotRun records a test that fails on both sides since a file of the repository could not be fetched.
func (p *proving) addCannotRun(label, absent string) {
	p.CannotRun = append(p.CannotRun, label)
	p.addNote(label, "needs %s, which is not here", absent)
}

// addUnstable records a test that failed on the branch and passed when it was run again.
func (p *proving) addUnstable(k key, base index) {
	p.Unstable = append(p.Unstable, base.labelOf(k))
	if p.unstable == nil {
		p.unstable = map[key]bool{}
	}
	p.unstable[k] = true
}
