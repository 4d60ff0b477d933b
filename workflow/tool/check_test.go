package tool

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/proof"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	require.Contains(t, b.refused(t, "check", nil), "No build or test command")
	b.Project = project.Project{Kind: "make", Build: "echo building; exit 1", Test: "true"}
	text := b.ok(t, "check", nil)
	require.Contains(t, text, "The build fails:\nbuilding")
	b.Project = project.Project{Kind: "make", Build: "true", Test: "echo one test is unhappy; exit 1"}
	require.Contains(t, b.ok(t, "check", nil), "one test is unhappy")
	b.Project.Test = "printf 'TAP version 13\\n1..2\\nok 1 - adds\\nnot ok 2 - splits\\n  ---\\n  message: " +
		"3 is not 4\\n  ...\\n'; exit 1"
	text = b.ok(t, "check", nil)
	require.Contains(t, text, "1 passed, 1 failed")
	require.Contains(t, text, "FAIL splits\n")
	b.Project.Test = "true"
	require.Contains(t, b.ok(t, "check", nil), "build clean")
}

// A run or a check that does not succeed is marked as failed. What also fails without the change is no
// failure of a check.
func TestWhatFailedIsMarked(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	for command, failed := range map[string]bool{"true": false, "exit 3": true} {
		b.Project = project.Project{Kind: "make", Test: command}
		require.Equal(t, failed, b.call(t, "check", nil).Failed, command)
		require.Equal(t, failed, b.call(t, "run", args{"command": command}).Failed, command)
	}
	old := result.Test{Name: "old", Status: result.Failed}
	fresh := result.Test{Name: "new", Status: result.Failed}
	ran := func(tests ...result.Test) result.Result {
		return result.Result{TestsRan: true, Counted: true, Tests: tests}
	}
	require.False(t, ran(old).RedSince(ran(old)))
	require.True(t, ran(old, fresh).RedSince(ran(old)))
	built := result.Result{BuildRan: true, BuildOK: false}
	require.True(t, built.RedSince(result.Result{}))
}

// TestANamedCommandIsTriedWithoutItsFlags has tests that fail because of a flag that is added to their
// command, and then a command whose tests cannot be counted at all.
func TestANamedCommandIsTriedWithoutItsFlags(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	named := project.Project{}
	kept, weaker := "", ""
	b.CommandSetter = CommandSetter{
		Judge: func(string, string) (project.Project, error) { return named, nil },
		Keep: func(_ context.Context, _ project.Project, line string, _ result.Result) (string, error) {
			kept = line
			return weaker, nil
		},
	}
	named = project.Project{
		Kind:    "node",
		Test:    "echo no such flag; exit 1",
		Written: "printf 'PASS a.test.js\\nTests: 4 passed, 4 total\\n'",
	}
	text := b.ok(t, "check", map[string]any{"command": "jest"})
	require.Contains(t, text, "Tests: 4 passed, 4 total\\n': 4 passed")
	require.Contains(t, text, "It is the repository's test command from now on")
	require.Equal(t, "jest", kept)
	weaker = "`npx jest` finds 352 tests"
	text = b.ok(t, "check", map[string]any{"command": "jest"})
	require.Contains(t, text, "It was not kept as the test command: `npx jest` finds 352 tests.")
	require.NotContains(t, text, "from now on")
	named = project.Project{Kind: "node", Test: "echo no such flag; exit 1", Written: "exit 2"}
	require.Contains(t, b.ok(t, "check", map[string]any{"command": "jest"}),
		"neither with what I added for that (`echo no such flag; exit 1`) nor without it (`exit 2`)")
}

func TestCheckedIsBounded(t *testing.T) {
	t.Parallel()
	r := result.Result{
		BuildRan: true,
		BuildOK:  true,
		TestsRan: true,
		Counted:  true,
		Counts:   result.Counts{Passed: 3, Failed: 80},
	}
	for i := range 80 {
		r.Tests = append(r.Tests, result.Test{
			Group:  "pkg",
			Name:   fmt.Sprintf("Test%d", i),
			Status: result.Failed,
			Output: fmt.Sprintf("\x1b[31m%d", i) + strings.Repeat("x", 20_000),
		})
	}
	r.Took = 31 * time.Second
	text := describe(proof.Checked{Result: r})
	require.Contains(t, text, " after 31s\n")
	require.Less(t, len(text), 40_000)
	require.Contains(t, text, "FAIL pkg Test9\n")
	require.NotContains(t, text, "FAIL pkg Test10\n")
	require.Contains(t, text, "Failing too: pkg Test10; pkg Test11")
	require.Contains(t, text, "and 20 more")
	require.NotContains(t, text, "\x1b")
}

// TestCheckTellsWhatFailedBeforeApart has a test that also fails on the base, a test that the change broke, a
// package that does not compile, and a package that needs it.
func TestCheckTellsWhatFailedBeforeApart(t *testing.T) {
	t.Parallel()
	old := result.Test{
		Group:  "p",
		Name:   "TestBrokenForYears",
		Status: result.Failed,
		Output: "nobody knows why\n",
	}
	base := result.Result{Tests: []result.Test{old}}
	text := describe(proof.Checked{BaseName: "main", Base: base, Result: result.Result{
		TestsRan: true,
		Counted:  true,
		Counts:   result.Counts{Failed: 4},
		Tests: []result.Test{
			old,
			{Group: "p", Name: "TestNew", Status: result.Failed, Output: "3 != 4\n"},
			{
				Group:  "q",
				Name:   "q does not compile",
				Broken: "does not compile",
				Status: result.Failed,
				Output: "# q\nq.go:1:1: undefined: x\n",
			},
			{
				Group:  "r",
				Name:   "r does not compile",
				Broken: "does not compile",
				Status: result.Failed,
				Output: "# q\nq.go:1:1: undefined: x\n",
			},
		},
	}})
	require.Equal(t, `: 0 passed, 4 failed (TestNew, q does not compile, r does not compile and 1 more)
1 fails on main too, not counted against the change: p TestBrokenForYears
FAIL p TestNew
3 != 4
FAIL q: does not compile
# q
q.go:1:1: undefined: x
FAIL r: does not compile (as above)
`, text)
}

// TestAFailingCheckKeepsItsWholeLog has a check that prints more than is shown, and one that passes.
func TestAFailingCheckKeepsItsWholeLog(t *testing.T) {
	t.Parallel()
	b := newRunning(t, files{"a.txt": "x\n"})
	b.Project = project.Project{Kind: "make", Build: "echo building", Test: "seq 9000; exit 1"}
	text := b.ok(t, "check", nil)
	require.Less(t, len(text), 2*uncountedEnd+1000)
	require.Contains(t, text, "\n[the whole output: read_file or search with path output:check-1.txt]\n")
	log := "output:check-1.txt"
	require.Contains(t, b.ok(t, "read_file", args{"path": log, "limit": 4}), "1\t$ echo building\n")
	require.Equal(t, log+":4004: 4001\n", b.ok(t, "search", args{"path": log, "pattern": "^4001$"}))

	b.Project.Test = `printf '{"Action":"output","Package":"p","Output":"--- FAIL: TestA"}\n'; ` +
		`seq 9000; exit 1`
	require.Contains(t, b.ok(t, "check", nil), "output:check-2.txt")
	require.Contains(t, b.ok(t, "read_file", args{"path": "output:check-2.txt", "limit": 5}),
		"--- FAIL: TestA", "as people read it")

	b.Project.Test = "printf 'TAP version 13\\n1..1\\nok 1 - adds\\n'"
	require.NotContains(t, b.ok(t, "check", nil), "output:")
	entries, err := os.ReadDir(b.OutputDir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "only what failed is kept")
}

// TestWhatALimitKeptFromRunningIsListed has a check that ended early: what passed is not shown, but what the
// base has beyond it.
func TestWhatALimitKeptFromRunningIsListed(t *testing.T) {
	t.Parallel()
	var all []result.Test
	for _, group := range []string{"cart", "money", "rates"} {
		for _, name := range []string{"TestA", "TestB"} {
			all = append(all, result.Test{Group: group, Name: name, Status: result.Passed})
		}
	}
	r := result.Result{
		TestsRan: true, Counted: true, Stopped: result.StoppedTime, Tests: all[:3],
		Counts: result.Counts{Passed: 3}, Output: strings.Repeat("ok cart TestA\n", 3000),
	}
	c := proof.Checked{Result: r, Base: result.Result{Tests: all}, BaseName: "main"}
	text := describe(c)
	require.Contains(t, text, "Not reached: 3 of the 6 tests of main, all of rates among them.\n")
	require.NotContains(t, text, "ok cart")
	require.NotContains(t, text, "The tests fail")
	c.Stopped = "" // the control
	require.Contains(t, describe(c), "The tests fail:\nok cart")
}

// TestACheckSaysWhatItDoesNotCover has a change of which a command's tests reach a part, and nothing.
func TestACheckSaysWhatItDoesNotCover(t *testing.T) {
	t.Parallel()
	ran := result.Result{
		Project:  project.Project{Test: "python3 -m unittest"},
		TestsRan: true, TestsOK: true, Counted: true, Counts: result.Counts{Passed: 1},
	}
	for want, cover := range map[string]proof.Coverage{
		"This says nothing about the change: `python3 -m unittest` reaches none of the changed code " +
			"(a.cc), and no test command that is known does: ": {Uncovered: []string{"a.cc"}},
		"`python3 -m unittest` does not reach web/a.js. The proof also runs what does: `npm test`.": {
			Uncovered: []string{"web/a.js"}, Reached: 1, By: []project.Project{{Test: "npm test"}},
		},
	} {
		require.Contains(t, describe(proof.Checked{Result: ran, Coverage: cover}), want)
	}
	all := proof.Checked{Result: ran, Coverage: proof.Coverage{Reached: 1}}
	require.NotContains(t, describe(all), "reach")
}
