package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A test that fails on both sides since a submodule could not be fetched cannot be run here; it is not one
// that failed before. The control is the same run with everything fetched.
func TestATestWithoutItsFilesCannotBeRunHere(t *testing.T) {
	t.Parallel()
	const suite = `echo ok 1 - starts
cat vendor/data/a.txt 2>/dev/null || echo "not ok 2 - reads
# cannot open vendor/data/a.txt"
echo "not ok 3 - broken for years"
`
	m, commits := repotest.NewMirror(t, repotest.Files{
		"sum.sh": "echo 3\n", "test.sh": suite + "echo 1..3\n",
	})
	prove := func(missing ...packages.Missing) Proof {
		w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{
			"sum.sh": "echo 4\n",
			"test.sh": suite + "[ $(sh sum.sh) = 4 ] && echo ok 4 - sums || echo not ok 4 - sums\n" +
				"echo 1..4\n",
		})
		c := checker(t).For(m)
		c.Cache.UsePackages(&packages.Packages{Missing: missing})
		p, err := Prove(t.Context(), c, w, project.Project{Kind: "shell", Test: "sh test.sh"}, "")
		require.NoError(t, err)
		require.True(t, p.Passes(), p.Lines())
		return p
	}
	p := prove(packages.Missing{Names: ".gitmodules", Submodule: "vendor/data", Why: "no login"})
	require.Equal(t, []string{"broken for years"}, p.AlreadyFailing)
	require.Equal(t, []string{"reads"}, p.CannotRun)
	require.Contains(t, p.Lines(), "Cannot be run here, on main either, and proven by nothing: reads "+
		"(needs vendor/data, which is not here)")
	require.Equal(t, "1 new test: red before, green now; 1 still pass; 1 failed before and still does; "+
		"1 cannot be run here", p.Short())
	require.Contains(t, p.Branch.String(),
		"1 of the failed cannot be run here, since vendor/data is not here")

	p = prove()
	require.Equal(t, []string{"reads", "broken for years"}, p.AlreadyFailing)
	require.Empty(t, p.CannotRun)
}
