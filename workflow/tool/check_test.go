package tool

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
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
	text := checked(r, result.Result{})
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
	text := checked(result.Result{
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
	}, result.Result{Tests: []result.Test{old}})
	require.Equal(t, `: 0 passed, 4 failed (TestNew, q does not compile, r does not compile and 1 more)
1 of the failed ones fail without the change, too, and are not counted against it: p TestBrokenForYears
FAIL p TestNew
3 != 4
FAIL q: does not compile
# q
q.go:1:1: undefined: x
FAIL r: does not compile (as above)
`, text)
}
