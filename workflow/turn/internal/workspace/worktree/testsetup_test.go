package worktree

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A command that an agent names is kept if it ran as well as what is used so far. One that finds fewer tests
// is not, except for a test that cannot run here.
func TestACommandThatAnAgentNamesIsKeptUnlessItIsWeaker(t *testing.T) {
	t.Parallel()
	ran := func(ok bool, names int) (r result.Result) {
		used := project.Project{Test: "go test ./..."}
		r = result.Result{TestsRan: true, Counted: true, TestsOK: ok, Project: used}
		for i := range names {
			r.Tests = append(r.Tests, result.Test{Name: fmt.Sprint("Test", i), Status: result.Passed})
			r.Passed++
		}
		return r
	}
	unstarted := ran(false, 351)
	unstarted.Missing.Tests = "a test needed more memory"
	for _, c := range []struct {
		name        string
		base, named result.Result
		kept        bool
	}{
		{"nothing was found before", ran(true, 0), ran(true, 1), true},
		{"the base does not start", unstarted, ran(true, 10), true},
		{"as many tests", ran(true, 352), ran(true, 352), true},
		{"one test less, where all pass", ran(true, 352), ran(true, 351), false},
		{"one test less, where one fails", ran(false, 352), ran(true, 351), true},
		{"one file of many", ran(false, 4000), ran(true, 10), false},
	} {
		tests := Setup{Repository: "shop", Branch: "main"}
		tests.set(project.Project{Kind: "go", Test: "go test ./..."})
		tests.setBase(c.base)
		_, err := tests.Judge("[deep]", "go test -skip '^Test_ca$' ./...", "")
		require.NoError(t, err, c.name)
		require.Equal(t, c.kept, tests.weaker(c.named) == "", c.name)
	}
}

// Nobody but the operator and members decides against them, and no agent makes up a command.
func TestACommandThatAnAgentMayNotName(t *testing.T) {
	t.Parallel()
	configured := Setup{Repository: "shop", Configured: true}
	_, err := configured.Judge("[deep]", "go test ./...", "")
	require.ErrorContains(t, err, "the operator has set")
	told := Setup{Repository: "shop", told: "U1"}
	_, err = told.Judge("[deep]", "go test ./...", "")
	require.ErrorContains(t, err, "a member said")
	var free Setup
	_, err = free.Judge("[deep]", "make test262", "")
	require.NoError(t, err)
	_, err = free.Judge("[deep]", "echo '--- PASS: TestSplit'", "")
	require.ErrorContains(t, err, "cannot be the test command")
	require.ErrorContains(t, err, "is read: automake, AVA, cargo test, ")
	require.ErrorContains(t, err, ", pytest, RSpec, ")
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
