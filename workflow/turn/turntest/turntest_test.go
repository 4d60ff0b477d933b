package turntest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// A test of a turn in three lines.
func TestAnAnswer(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Script: `call reply {"text": "It is 3 cents (README.md:2)."}`})
	th.Say("ann", "@bobbin what is the total?")
	require.Contains(t, th.Text(), "It is 3 cents (`README.md:2`).")
}

// The same thread goes on: a guest presses a button in vain, a member is heard, and the agents go on.
func TestAReportAndItsButton(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Script: `
call read_file {"path": "README.md"}
---
call report_root_cause
  summary: The page names a wrong total
  cause: README.md:2 was never changed.
  evidence: [{"claim": "it says 3 cents", "grade": "observed", "source": "README.md:2"}]
  confidence: high
  remains: nothing
---
expect user "Revision 1 was approved by bea"
call blocked {"reason": "only people know the right total"}
`})
	th.Say("ann", "@bobbin the total on the page is wrong")
	require.Equal(t, workflow.PhaseReported, th.Session().Phase)
	th.Press("gus", workflow.ButtonFix)
	require.Contains(t, th.Alone(), "gus: [orchestrator] ◆ Guests cannot approve.")
	require.Equal(t, workflow.PhaseReported, th.Session().Phase)
	th.Press("bea", workflow.ButtonFix)
	require.Contains(t, th.Text(), "Revision 1 approved by bea.")
	require.Equal(t, workflow.PhasePaused, th.Session().Phase)
}

func TestCommandsRunInTheSandbox(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Commands: true, Script: `
call run {"command": "grep -c cents README.md && id -u > /probe"}
---
expect tool run /(?s)1.*(denied|Read-only)/
call reply {"text": "One line has cents."}
`})
	th.Say("ann", "@bobbin how many lines have cents?")
	require.Contains(t, th.Text(), "One line has cents.")
}
