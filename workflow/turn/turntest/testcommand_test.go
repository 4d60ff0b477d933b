package turntest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// suites are the files of a repository with two suites. The program finds the one in misc; the one that
// people mean is the target test262 of the Makefile.
var suites = map[string]string{
	"Makefile":       "test262:\n\tpython3 -m unittest discover -v -s spec -p '*.py'\n",
	"misc/test_a.py": suite + "    def test_a(self):\n        pass\n",
	"spec/spec.py": suite + "    def test_s(self):\n        pass\n\n" +
		"    def test_t(self):\n        pass\n",
	"setup.py": "# no more than its name\n",
}

const suite = "import unittest\n\n\nclass Suite(unittest.TestCase):\n"

// What a member who may approve says in the thread is how the repository is tested: tried on the base, and
// used from then on. The control: the same words of a guest, or about something else, change nothing.
func TestAMemberSaysHowTheRepositoryIsTested(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Commands: true, Files: suites, Script: `
expect user /Test: .python3 -m unittest/
call reply {"text": "Your CI runs ` + "`make test262`" + ` beside it. Shall I use that?"}
---
expect user "gus wrote in the thread"
call reply {"text": "CI runs ` + "`make test262`" + `. A member has to say it."}
---
expect user "yes, it is nice"
call reply {"text": "CI runs ` + "`make test262`" + `."}
---
expect user "bea, who may approve, says how shop is tested."
call check
---
expect tool check "make test262: 2 passed"
call reply {"text": "It is used."}
`})
	th.Say("ann", "@bobbin how is it tested?")
	th.Say("gus", "Yes, use that command.")
	require.NotContains(t, th.Text(), "From now on")
	th.Say("bea", "yes, it is nice")
	require.NotContains(t, th.Text(), "From now on")
	th.Say("bea", "Yes, use that command.")
	require.Contains(t, th.Text(), "From now on shop is tested with `make test262`, as bea asked.")
	require.Contains(t, th.Text(), "Tried on main: `make test262`: 2 passed")
}

// A command that does not start is said, and forgotten.
func TestACommandThatAMemberSaysAndThatDoesNotStart(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Commands: true, Files: suites, Script: `
expect user "says how shop is tested."
call check
---
expect tool check "misc: 1 passed"
call reply {"text": "It is not there."}
`})
	th.Say("ann", "@bobbin test it with `ctest262 --all`")
	require.Contains(t, th.Text(), "`ctest262 --all` did not start on main")
	require.Contains(t, th.Text(), "I go on with `python3 -m unittest")
}

// An agent that explores names a command that it found, and it is kept if it finds as much as what is used.
func TestAnAgentThatExploresNamesTheTestCommand(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Commands: true, Files: suites, Script: `
call check {"command": "make test262", "source": "Makefile"}
---
expect tool check "make test262: 2 passed"
expect tool check "It is the repository's test command from now on"
call check {"command": "echo '1 passed'"}
---
expect tool check "That cannot be the test command"
call reply {"text": "It is tested by make test262."}
`})
	th.Say("ann", "@bobbin how is it tested?")
	require.Contains(t, th.Text(),
		"From now on shop is tested with `make test262` (named by orchestrator, from Makefile)")
}
