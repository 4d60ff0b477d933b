package proof

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A proof of a long suite runs the tests first that the change can reach, here those of a package that
// imports the changed one, and ends there if one of them fails in two runs.
func TestAProofRunsFirstWhatTheChangeCanReach(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	test := func(pkg, body string) string {
		return "package " + pkg + "\n\nimport \"testing\"\n\n" +
			"func Test_" + pkg + "(t *testing.T) {\n" + body + "}\n"
	}
	base := repotest.Files{
		"go.mod":            "module example.com/shop\n\ngo 1.24\n",
		"half/half.go":      "package half\n\nfunc Half(n int) int { return n / 2 }\n",
		"cart/cart.go":      "package cart\n\nimport \"example.com/shop/half\"\n\nvar Four = half.Half(8)\n",
		"cart/cart_test.go": test("cart", "\tif Four != 4 {\n\t\tt.Error(\"not four\")\n\t}\n"),
		"a/a_test.go":       test("a", ""),
		"b/b_test.go":       test("b", ""),
	}
	m, commits := repotest.NewMirror(t, base)
	c := goChecker(t, m)
	p := project.Project{Kind: "go", Test: "go test ./..."}
	run := func(splitFrom time.Duration, changed repotest.Files) Proof {
		w := repotest.NewWorkspace(t, m, commits[0], changed)
		v := &proving{checker: c, work: w, project: p, splitFrom: splitFrom}
		shown, err := v.prove(t.Context(), "")
		require.NoError(t, err)
		return shown
	}
	wrong := repotest.Files{"half/half.go": "package half\n\nfunc Half(n int) int { return n/2 + 1 }\n"}
	shown := run(time.Nanosecond, wrong)
	require.Equal(t, Failed, shown.Outcome(), shown.Lines())
	require.Equal(t, result.StoppedNear, shown.Branch.Stopped)
	require.Equal(t, result.Counts{Failed: 1}, shown.Branch.Counts)
	require.Equal(t, "1 of the tests that ran first on the branch fail there and not on main, "+
		"each in two runs: Test_cart (not four). "+
		"1 test that the change can reach ran first, and the others not at all", shown.Why)
	require.Empty(t, shown.OnBase.Project, "nothing else was run")

	// The control: a suite that is short runs as a whole.
	shown = run(time.Hour, wrong)
	require.Equal(t, Failed, shown.Outcome())
	require.Equal(t, result.Counts{Passed: 2, Failed: 1}, shown.Branch.Counts)
	require.Contains(t, shown.Why, "No longer passing, 1 of 3")

	// Where the first tests pass, the others run, too, and each is counted once.
	shown = run(time.Nanosecond, repotest.Files{
		"half/half.go":      "package half\n\nfunc Half(n int) int { return (n + 1) / 2 }\n",
		"half/half_test.go": test("half", "\tif Half(3) != 2 {\n\t\tt.Error(\"rounded down\")\n\t}\n"),
	})
	require.True(t, shown.Passes(), shown.Lines())
	require.Equal(t, 2, shown.Branch.First)
	require.True(t, shown.Branch.Reach)
	require.Equal(t, result.Counts{Passed: 4}, shown.Branch.Counts)
}

// A failure ends a proof early only if it is there in both runs.
func TestOnlyWhatFailsTwiceEndsAProof(t *testing.T) {
	t.Parallel()
	run := func(failing ...string) (r result.Result) {
		for _, name := range failing {
			r.Tests = append(r.Tests, result.Test{Name: name, Status: result.Failed})
		}
		return r
	}
	require.Empty(t, failingTwice(run("flaky", "old"), run("old"), run("old")))
	require.Len(t, failingTwice(run("flaky", "new", "old"), run("new", "old"), run("old")), 1)
}
