package pullrequests

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
)

// These build the checks of the table.
func ended(name string, state host.CheckState) host.Check {
	return host.Check{Name: name, State: state}
}

func idle(name, word string) host.Check {
	return host.Check{Name: name, State: host.Passed, Inconclusive: word}
}

// unknown is the reason where the check of that name says nothing of the new tests alone.
const unknown = "whether the new tests fail without the change is not known: " +
	"test did not run to an end for them alone"

// A proofCase is what CI reported of a commit, and what that proves.
type proofCase struct {
	checks, tests []host.Check
	branch        string // the state of the branch with the new tests alone; default: none is wanted
	waited        time.Duration
	unsettled     bool
	state         string
	reason        string
	red           []string
}

// These are the checks of proofCases.
var (
	testPasses = ended("test", host.Passed)
	testFails  = ended("test", host.Failed)
	testWaits  = ended("test", host.Pending)
)

// proofCases are about the checks of the pushed commit.
var proofCases = map[string]proofCase{
	"passed": {
		checks: []host.Check{testPasses, ended("lint", host.Passed)},
		state:  ciproof.Passed, reason: "nothing was seen to fail without the change",
	},
	"passed, with some that were skipped": {
		checks: []host.Check{testPasses, idle("deploy", "skipped")},
		state:  ciproof.Passed, reason: "nothing was seen to fail without the change",
	},
	"another one may come": {checks: []host.Check{testPasses}, unsettled: true, state: ciproof.Waiting},
	"one is pending": {
		checks: []host.Check{testPasses, ended("lint", host.Pending)}, state: ciproof.Waiting,
	},
	"one is pending for too long": {
		checks: []host.Check{testPasses, ended("lint", host.Pending)}, waited: ciLimit,
		state: ciproof.Unproven, reason: "after 3 h not all checks have ended: lint",
	},
	"failed": {
		checks: []host.Check{ended("lint", host.Passed), testFails},
		state:  ciproof.Failed, reason: "test failed",
	},
	"a second run of it failed": {
		checks: []host.Check{testPasses, testFails}, state: ciproof.Failed, reason: "test failed",
	},
	"none yet": {state: ciproof.Waiting},
	"none": {
		waited: ciStart, state: ciproof.Unproven, reason: "no checks started within 15 min",
	},
	"about people alone": {
		checks: []host.Check{ended("license/cla", host.Passed), ended("DCO", host.Passed)},
		waited: ciStart, state: ciproof.Unproven, reason: "no checks started within 15 min",
	},
	"skipped and neutral, so far": {
		checks: []host.Check{idle("test", "skipped"), idle("docs", "neutral")}, state: ciproof.Waiting,
	},
	"skipped and neutral alone": {
		checks: []host.Check{idle("test", "skipped"), idle("docs", "neutral")}, waited: ciStart,
		state: ciproof.Unproven, reason: "none of its checks ran: docs (neutral), test (skipped)",
	},
	"one may fail, and did": {
		checks: []host.Check{idle("test", "failed, which it may")}, waited: ciStart,
		state: ciproof.Unproven, reason: "none of its checks ran: test (failed, which it may)",
	},
	"cancelled": {
		checks: []host.Check{testPasses, idle("ui", "cancelled")},
		state:  ciproof.Unproven, reason: "not all checks ran to their end: ui was cancelled",
	},
	"canceled": {
		checks: []host.Check{testPasses, idle("ui", "canceled")},
		state:  ciproof.Unproven, reason: "not all checks ran to their end: ui was cancelled",
	},
}

// testsCases are about those of the branch with the new tests alone, too.
var testsCases = map[string]proofCase{
	"red": {
		checks: []host.Check{testPasses, ended("lint", host.Passed)},
		tests:  []host.Check{testFails, ended("lint", host.Pending)},
		branch: ciproof.TestsPushed, state: ciproof.Passed, red: []string{"test"},
	},
	"red where the fix does not pass": {
		checks: []host.Check{testPasses}, tests: []host.Check{ended("lint", host.Failed), testPasses},
		branch: ciproof.TestsPushed, state: ciproof.Unproven,
		reason: "the new tests pass on main too in CI: they show nothing",
	},
	"not red": {
		checks: []host.Check{testPasses}, tests: []host.Check{testPasses}, branch: ciproof.TestsPushed,
		state: ciproof.Unproven, reason: "the new tests pass on main too in CI: they show nothing",
	},
	"not red yet": {
		checks: []host.Check{testPasses}, tests: []host.Check{testWaits}, branch: ciproof.TestsPushed,
	},
	"no check of them yet":  {checks: []host.Check{testPasses}, branch: ciproof.TestsPushed},
	"they are to be pushed": {checks: []host.Check{testPasses}, branch: ciproof.TestsIntended},
	"they were never pushed": {
		checks: []host.Check{testPasses}, branch: ciproof.TestsAsked, waited: ciLimit,
		state: ciproof.Passed, reason: "the new tests alone could not be pushed in time",
	},
	"they were refused": {
		checks: []host.Check{testPasses}, branch: ciproof.TestsRefused,
		state: ciproof.Passed, reason: "the new tests alone could not be pushed (protected)",
	},
	"no check of them": {
		checks: []host.Check{testPasses}, branch: ciproof.TestsPushed, waited: ciStart, state: ciproof.Passed,
		reason: unknown,
	},
	"they were cancelled": {
		checks: []host.Check{testPasses}, tests: []host.Check{idle("test", "cancelled")},
		branch: ciproof.TestsPushed, waited: ciStart, state: ciproof.Passed,
		reason: unknown,
	},
	"the fix fails, whatever they do": {
		checks: []host.Check{testFails}, tests: []host.Check{testFails}, branch: ciproof.TestsPushed,
		state: ciproof.Failed, reason: "test failed",
	},
}

// TestWhatChecksProve checks which checks prove a commit. Absent, skipped, neutral and cancelled ones never
// do.
func TestWhatChecksProve(t *testing.T) {
	t.Parallel()
	cases := maps.Clone(proofCases)
	maps.Copy(cases, testsCases)
	for name, c := range cases {
		now := time.Now()
		row := ciproof.Row{
			Request: ciproof.Request{Base: "main"}, TestsState: ciproof.TestsNone, TestsReason: "protected",
			At: now.Add(-c.waited), TestsAt: now.Add(-c.waited),
		}
		if c.branch != "" {
			row.TestsState = c.branch
		}
		if c.state == "" {
			c.state = ciproof.Waiting
		}
		got := rule(row, sighting{
			checks: sortChecks(c.checks), tests: sortChecks(c.tests), settled: !c.unsettled, now: now,
		})
		require.Equal(t, c.state, got.state, name)
		require.Equal(t, c.reason, got.reason, name)
		require.Equal(t, c.red, got.red, name)
	}
}
