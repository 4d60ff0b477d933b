package proof

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// runOf returns a run in which the test of each name has these statuses: "total PPF, plain P". A name with a
// slash is a case of the test before it, and one with a colon is in the group before it.
func runOf(text string) result.Result {
	r := result.Result{Project: project.Project{Kind: "python", Test: "test"}, TestsRan: true, Counted: true}
	for entry := range strings.SplitSeq(text, ", ") {
		name, statuses, _ := strings.Cut(entry, " ")
		group, rest, grouped := strings.Cut(name, ":")
		t := result.Test{Name: name, Group: "shop"}
		if grouped {
			t.Name = rest
			t.Group = group
		}
		if of, _, isCase := strings.Cut(t.Name, "/"); isCase {
			t.Of = of
		}
		for _, s := range statuses {
			switch s {
			case 'P':
				t.Status = result.Passed
				r.Passed = r.Passed + 1
			case 'F':
				t.Status = result.Failed
				r.Failed = r.Failed + 1
			default:
				t.Status = result.Skipped
				r.Skipped = r.Skipped + 1
			}
			r.Tests = append(r.Tests, t)
		}
	}
	if r.TestsOK = r.Failed == 0; !r.TestsOK {
		r.ExitCode = 1
	}
	return r
}

// judged compares three runs. again is what the branch does when it is run once more; as before by default.
func judged(t testing.TB, base, onBase, branch, again result.Result) Proof {
	t.Helper()
	changes := []diff.Change{{Path: "shop_test.go", Kind: "modified"}}
	v := &proving{
		project: project.Project{Kind: "python", Test: "test"}, changes: changes,
		tests: selectTests("go", changes),
	}
	v.BaseName = "main"
	v.BuildOK = true
	v.Base = base
	v.OnBase = onBase
	v.Branch = branch
	require.NoError(t, v.judgeTests(t.Context(), func() (result.Result, error) { return again, nil }))
	if !v.Passes() {
		v.Why = v.refusal()
	}
	return v.Proof
}

// sharedNames are runs with tests that share a name, as of a class that is made three times, and with cases
// of one test.
var sharedNames = map[string]struct {
	base, onBase, branch, again string
	holds                       bool
	short                       string
	lines                       []string
}{
	"three new ones": {
		base:   plain,
		onBase: plain + ", total FFF",
		branch: plain + ", total PPP",
		holds:  true,
		short:  "3 new tests: red before, green now; 1 still pass",
		lines: []string{
			"New test total: fails on main (as expected), passes on the branch", "test: 4 passed (3 new)",
			"Still passing: 1 of 1 that passed before",
		},
	},
	"one of three is skipped after": {
		base: plain, onBase: plain + ", total FFF", branch: plain + ", total PSP",
		short: "2 new tests: red before, green now; 1 red before, skipped now, which proves nothing; " +
			"1 still pass; " +
			"not shown: " +
			"The change's own tests do not pass on the branch: total is skipped there in 1 of 3 cases",
		lines: []string{
			"The change's own tests do not pass on the branch: total is skipped there in 1 of 3 cases",
			"New test total: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 is skipped, " +
				"which proves nothing",
			"test: 3 passed (2 new), 1 skipped", "Still passing: 1 of 1 that passed before",
		},
	},
	"one of three cases is skipped after": {
		base:   plain,
		onBase: plain + ", total/a F, total/b F, total/c F",
		branch: plain + ", total/a P, total/b S, total/c P",
		short: "2 new tests: red before, green now; 1 red before, skipped now, which proves nothing; " +
			"1 still pass; " +
			"not shown: " +
			"The change's own tests do not pass on the branch: total is skipped there in 1 of 3 cases",
		lines: []string{
			"The change's own tests do not pass on the branch: total is skipped there in 1 of 3 cases",
			"New test total: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 is skipped, " +
				"which proves nothing",
			"test: 3 passed (2 new), 1 skipped", "Still passing: 1 of 1 that passed before",
		},
	},
	"one of three is skipped before and after": {
		base: plain, onBase: plain + ", total FSF", branch: plain + ", total SPP", holds: true,
		short: "2 new tests: red before, green now; 1 still pass",
		lines: []string{
			"New test total: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 is skipped, " +
				"which proves nothing",
			"test: 3 passed (2 new), 1 skipped", "Still passing: 1 of 1 that passed before",
		},
	},
	"red before and skipped after": {
		base:   plain,
		onBase: plain + ", total F",
		branch: plain + ", total S",
		short: "1 red before, skipped now, which proves nothing; 1 still pass; not shown: " +
			"The change's own tests do not pass on the branch: total is skipped there",
		lines: []string{
			"The change's own tests do not pass on the branch: total is skipped there",
			"New test total: fails on main (as expected), and is skipped on the branch, which proves nothing",
			"test: 1 passed, 1 skipped", "Still passing: 1 of 1 that passed before",
		},
	},
	"one of three still fails": {
		base:   plain,
		onBase: plain + ", total FFF",
		branch: plain + ", total PFP",
		short: "2 new tests: red before, green now; 1 red before and now; 1 still pass; not shown: " +
			"The change's own tests do not pass on the branch: total fails there in 1 of 3 cases",
		lines: []string{
			"The change's own tests do not pass on the branch: total fails there in 1 of 3 cases",
			"New test total: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 fails",
			"test: 3 passed (2 new), 1 failed (total)", "Still passing: 1 of 1 that passed before",
		},
	},
	"a variant that breaks hides behind one that fails anyway": {
		base:   "total PPF, plain P",
		onBase: "total PPF, plain P, rest F",
		branch: "total FPF, plain P, rest P",
		short: "1 new test: red before, green now; 2 of 3 still pass; 1 failed before and still does; " +
			"not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
			"1 of 3 tests named total (fails)",
		lines: []string{
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
				"1 of 3 tests named total (fails)",
			"New test rest: fails on main (as expected), passes on the branch",
			"test: 3 passed (1 new), 2 failed (total, total)", "Still passing: 2 of 3 that passed before",
			"Failing on main already, and not counted against the branch: total",
		},
	},
	"a variant that breaks hides behind one that passes": {
		base: "total PPP", onBase: "total PPP, rest F", branch: "total PFP, rest P",
		short: "1 new test: red before, green now; 2 of 3 still pass; not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
			"1 of 3 tests named total (fails)",
		lines: []string{
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
				"1 of 3 tests named total (fails)",
			"New test rest: fails on main (as expected), passes on the branch",
			"test: 3 passed (1 new), 1 failed (total)", "Still passing: 2 of 3 that passed before",
		},
	},
	"one breaks, one is skipped, and one is gone": {
		base: "total PPPP", onBase: "total PPPP, rest F", branch: "total FPS, rest P",
		short: "1 new test: red before, green now; 1 of 4 still pass; not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 3 of 4 that passed on main: " +
			"3 of 4 tests named total (1 fails, 1 is gone, 1 is skipped)",
		lines: []string{
			"Fix the change or bring back what is gone. No longer passing, 3 of 4 that passed on main: " +
				"3 of 4 tests named total (1 fails, 1 is gone, 1 is skipped)",
			"New test rest: fails on main (as expected), passes on the branch",
			"test: 2 passed (1 new), 1 failed (total), 1 skipped", "Still passing: 1 of 4 that passed before",
		},
	},
	"two of three fail in a case, which alone is named": {
		base: "total PPP", onBase: "total PPP, rest F", branch: "total P, total/1 FF, rest P",
		short: "1 new test: red before, green now; 1 new not seen red; 1 of 3 still pass; not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 2 of 3 that passed on main: " +
			"2 of 3 tests named total (each fails in a case)",
	},
	"two of three are new, and fail on main in a case, which alone is named": {
		base: plain, onBase: plain + ", total P, total/1 FF", branch: plain + ", total PPP", holds: true,
		short: "2 new tests: red before, green now; 1 guard: green before and now; 1 still pass",
	},
	"one fails by chance, and one for good": {
		base:   "total PPP",
		onBase: "total PPP, rest F",
		branch: "total FPF, rest P",
		again:  "total PPF, rest P",
		short: "1 new test: red before, green now; 2 of 3 still pass; 1 unstable; not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
			"1 of 3 tests named total (fails)",
		lines: []string{
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
				"1 of 3 tests named total (fails)",
			"New test rest: fails on main (as expected), passes on the branch",
			"test: 2 passed (1 new), 2 failed (total, total)", "Still passing: 2 of 3 that passed before",
			"Unstable: total failed once on the branch and passed when run again",
		},
	},
	"two that failed are fixed": {
		base: "total FPF, plain P", onBase: "total FPF, plain P", branch: "total PPP, plain P", holds: true,
		short: "2 tests that were there: red before, green now; 2 still pass",
		lines: []string{
			"Test total (2 of that name) was there: fails on main (as expected), passes on the branch",
			"test: 4 passed", "Still passing: 2 of 2 that passed before",
		},
	},
	"one that failed is fixed, and one is skipped": {
		base: "total FPF, plain P", onBase: "total FPF, plain P", branch: "total SPP, plain P", holds: true,
		short: "1 test that was there: red before, green now; 2 still pass; " +
			"1 failed before and is skipped now",
		lines: []string{
			"Test total was there: fails on main (as expected), passes on the branch",
			"test: 3 passed, 1 skipped", "Still passing: 2 of 2 that passed before",
			"Failing on main and skipped on the branch, which proves nothing: total",
		},
	},
	"those that failed are skipped": {
		base: "total FF, plain P", onBase: "total FF, plain P", branch: "total SS, plain P",
		short: "1 still pass; 2 failed before and are skipped now; not shown: The test files that changed " +
			"hold no test that is new or fails on main, so nothing was seen to fail there: " +
			"add one that fails there and passes with the change",
		lines: []string{
			"The test files that changed hold no test that is new or fails on main, so nothing was seen " +
				"to fail there: add one that fails there and passes with the change",
			"test: 1 passed, 2 skipped", "Still passing: 1 of 1 that passed before",
			"Failing on main and skipped on the branch, which proves nothing: total (2 of that name)",
		},
	},
	"one more of a name": {
		base:   "total PP",
		onBase: "total PFP",
		branch: "total PPP",
		holds:  true,
		short:  "1 extended test: red before, green now; 2 still pass",
		lines: []string{
			"Extended test total: fails on main (as expected), passes on the branch",
			"test: 3 passed (1 new)", "Still passing: 2 of 2 that passed before",
		},
	},
	"one more of a name that is red and then skipped": {
		base:   "total PP",
		onBase: "total PFP",
		branch: "total PPS",
		short: "1 red before, skipped now, which proves nothing; 2 still pass; not shown: " +
			"The change's own tests do not pass on the branch: total is skipped there",
		lines: []string{
			"The change's own tests do not pass on the branch: total is skipped there",
			"Extended test total: fails on main (as expected), and is skipped on the branch, " +
				"which proves nothing",
			"test: 2 passed, 1 skipped", "Still passing: 2 of 2 that passed before",
		},
	},
	"two in a new form": {
		base: "total PPP", onBase: "total FPF, rest F", branch: "total PPP, rest P", holds: true,
		short: "1 new test: red before, green now; 2 extended tests: red before, green now; 3 still pass",
	},
	"guards of one name": {
		base:   plain,
		onBase: plain + ", total PPP, rest F",
		branch: plain + ", total PPP, rest P",
		holds:  true,
		short:  "1 new test: red before, green now; 3 guards: green before and now; 1 still pass",
	},
	"a guard of three that is skipped": {
		base:   plain,
		onBase: plain + ", total PPP, rest F",
		branch: plain + ", total PPS, rest P",
		holds:  true,
		short:  "1 new test: red before, green now; 2 guards: green before and now; 1 still pass",
		lines: []string{
			"New test rest: fails on main (as expected), passes on the branch",
			"Guard total: passes on main; on the branch 2 of 3 pass, 1 of 3 is skipped, which proves nothing",
			"test: 4 passed (3 new), 1 skipped", "Still passing: 1 of 1 that passed before",
		},
	},
	"a class that moved, and lost one on the way": {
		base: "a:total PPP", onBase: "b:total PP, rest F", branch: "b:total PP, rest P",
		short: "1 new test: red before, green now; 2 of 3 still pass; not shown: " +
			"Fix the change or bring back what is gone. No longer passing, 1 of 3 that passed on main: " +
			"1 of 3 tests named total (is gone)",
	},
	"a class that moved, with one more": {
		base: "a:total PP", onBase: "b:total PPF", branch: "b:total PPP", holds: true,
		short: "1 new test: red before, green now; 2 still pass",
	},
}

const plain = "plain P"

// TestTestsOfOneNameAreCountedEachForItself expects of each verdict that it says the same in its lines, its
// figures and its short form.
func TestTestsOfOneNameAreCountedEachForItself(t *testing.T) {
	t.Parallel()
	for name, c := range sharedNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := judged(t, runOf(c.base), runOf(c.onBase), runOf(c.branch), runOf(cmp.Or(c.again, c.branch)))
			require.Equal(t, c.short, p.Short())
			require.Equal(t, c.holds, p.Passes())
			if c.lines != nil {
				require.Equal(t, c.lines, p.Lines())
			}
		})
	}
}

// TestTheOrderOfTestsOfOneNameSaysNothing runs tests that share names in other orders, as a runner may, and
// expects the same figures. It also compares them with a run whose names are all different and whose statuses
// are the same on each side.
func TestTheOrderOfTestsOfOneNameSaysNothing(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 45))
	statuses := func(most int) string {
		var b strings.Builder
		for range rnd.IntN(most + 1) {
			b.WriteByte("PPFS"[rnd.IntN(4)])
		}
		return b.String()
	}
	shuffled := func(r result.Result) result.Result {
		r.Tests = append([]result.Test(nil), r.Tests...)
		rnd.Shuffle(len(r.Tests), func(i, k int) { r.Tests[i], r.Tests[k] = r.Tests[k], r.Tests[i] })
		return r
	}
	figures := func(p Proof) string {
		counts := fmt.Sprint(
			p.Cases, p.PassedBefore, p.StillPassing, len(p.Fixed), len(p.AlreadyFailing),
			len(p.NowSkipped), len(p.Unstable), p.GreenOnBranch, p.Passes(),
		)
		return counts + p.Short()
	}
	for range 2000 {
		run := func(more string) result.Result { return runOf("total " + statuses(4) + ", plain P" + more) }
		base := run("")
		onBase := run(", rest F")
		branch := run(", rest P") // one test is red, so nothing is run again
		before := judged(t, base, onBase, branch, branch)
		after := judged(t, shuffled(base), shuffled(onBase), shuffled(branch), shuffled(branch))
		require.Equal(t, figures(before), figures(after), "%v\n%v\n%v", base.Tests,
			onBase.Tests, branch.Tests)
		require.GreaterOrEqual(t, before.PassedBefore, base.Passed, "some fail by chance on the base")
		require.LessOrEqual(t, before.StillPassing, before.PassedBefore)
		require.Len(t, newIndex(base).tests, len(base.Tests), "none is lost")
	}
}

// TestTestsWithoutANameAreSaid has a run of which only a part could be read, and one whose runner names only
// failures.
func TestTestsWithoutANameAreSaid(t *testing.T) {
	t.Parallel()
	branch := runOf("total PPP, plain P")
	branch.Stated = 1254
	p := judged(t, runOf("plain P"), runOf("plain P, total FFF"), branch, branch)
	require.True(t, p.Passes(), "no refusal by itself")
	require.Contains(
		t, p.Lines(),
		"Not compared one by one, since their names could not be read: 1250 of 1254 tests on the branch",
	)
	p.Branch.Stated = 4
	require.NotContains(t, strings.Join(p.Lines(), "\n"), "could not be read", "the control")
	p.Branch = runOf("total F")
	p.Branch.Stated = 1254
	require.NotContains(t, strings.Join(p.Lines(), "\n"), "could not be read",
		"the runner names only failing tests")
}
