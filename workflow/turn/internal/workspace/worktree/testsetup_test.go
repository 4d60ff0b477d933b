package worktree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/environment"
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

// TestASuiteOfWhichMostSkips checks from which share on people and agents are told.
func TestASuiteOfWhichMostSkips(t *testing.T) {
	t.Parallel()
	const why = " tests skip on main: they may need a database, or something else that is not here."
	for counts, want := range map[result.Counts]string{
		{Passed: 28, Skipped: 312}:         "312 of 340" + why,
		{Passed: 1, Failed: 1, Skipped: 2}: "2 of 4" + why,
		{Passed: 3, Skipped: 2}:            "",
		{Passed: 1, Skipped: 1}:            "",
		{}:                                 "",
	} {
		tests := Setup{Branch: "main"}
		tests.setBase(result.Result{Counted: true, Counts: counts})
		require.Equal(t, want, tests.mostSkip())
	}
}

// TestWhatAgentsAreToldOfServices checks the words for services that are there, missing, and left out.
func TestWhatAgentsAreToldOfServices(t *testing.T) {
	t.Parallel()
	have := []environment.Installed{
		{Service: environment.Service{Kind: environment.Postgres, Port: 5433}, Has: "15.7"},
		{Service: environment.Service{Kind: environment.MySQL, Port: 3306}},
	}
	require.Equal(t, "Each command and each test run has its own, empty: postgres 15.7 at 127.0.0.1:5433; "+
		"the variables for them are set, and nothing in them stays.\n"+
		"Not installed here, though the tests want it: mysql.\nNot used: a folder.",
		serviceFacts(have, []string{"a folder"}))
	require.Empty(t, serviceFacts(nil, nil))
}
