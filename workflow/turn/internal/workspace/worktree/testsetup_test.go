package worktree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// TestACommandMayBeNamedIfTheOneThatWasFoundFindsNoTest also checks that a command that finds tests stays.
func TestACommandMayBeNamedIfTheOneThatWasFoundFindsNoTest(t *testing.T) {
	t.Parallel()
	tests := Setup{Repository: "shop"}
	tests.set(project.Project{Kind: "python", Test: "python3 -m unittest discover -v"}, false)
	tests.setBase(result.Result{TestsRan: true, Counted: true})
	p, err := tests.Judge("[deep]", "python -m pytest checks", "README.md")
	require.NoError(t, err)
	require.Equal(t, "python3 -m pytest -q checks", p.Test)
	tests.setBase(result.Result{
		TestsRan: true,
		Counted:  true,
		Counts:   result.Counts{Passed: 1},
		Tests:    []result.Test{{Name: "test_a", Status: result.Passed}},
	})
	_, err = tests.Judge("[deep]", "python -m pytest checks", "README.md")
	require.ErrorContains(t, err, "No command has to be named")
}
