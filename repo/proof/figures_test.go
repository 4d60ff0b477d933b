package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// TestFiguresWhereSomeFailAlready has a runner that names only failing tests, and a test that fails with
// and without the change.
func TestFiguresWhereSomeFailAlready(t *testing.T) {
	t.Parallel()
	run := func(passed int, failing ...string) result.Result {
		r := result.Result{
			TestsRan: true,
			Counted:  true,
			ExitCode: 1,
			Counts:   result.Counts{Passed: passed, Failed: len(failing)},
		}
		for _, name := range failing {
			r.Tests = append(r.Tests, result.Test{Name: name, Status: result.Failed})
		}
		return r
	}
	judge := func(branch result.Result) Proof {
		changes := []diff.Change{{Path: "a.test.js", Kind: "modified"}}
		v := &proving{
			project: project.Project{Kind: "node"},
			changes: changes,
			tests:   selectTests("node", changes),
		}
		v.BaseName = "main"
		v.BuildOK = true
		v.Base = run(10, "colours")
		v.OnBase = run(10, "colours", "splits")
		v.Branch = branch
		v.judgeFigures()
		return v.Proof
	}
	held := judge(run(11, "colours"))
	require.True(t, held.Passes(), held.Why)
	require.Equal(t, []string{"colours"}, held.AlreadyFailing)
	require.Equal(t, "the tests fail on main with this file (as expected): splits", held.Notes["a.test.js"])
	for _, branch := range []result.Result{
		run(11, "splits"), run(10, "colours", "splits"), run(9, "colours"),
	} {
		require.False(t, judge(branch).Passes())
	}
	unnamed := run(11)
	unnamed.Failed = 1
	require.False(t, judge(unnamed).Passes(), "who knows which one fails")
}
