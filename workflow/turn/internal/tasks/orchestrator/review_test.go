package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// A review's line names what was run, the newest first, and the red tests, without what a command could make
// look like a line of the program.
func TestWhatWasRunForAReview(t *testing.T) {
	t.Parallel()
	run := func(command string, code int, output string) progress.Command {
		return progress.Command{Command: command, ExitCode: code, Output: output}
	}
	for want, ran := range map[string][]progress.Command{
		"Nothing was run.": {{Task: 1, Command: "go test ./..."}},
		"Ran: `go test ./...` (red: TestX, TestY), `ls` (exit code 0).": {
			run("ls", 0, "a\n"),
			run("go test ./...", 1, "--- FAIL: TestX (0.00s)\n    --- FAIL: TestY (0s)\nFAIL\n"),
		},
		"Ran: `python3 -m unittest` (red: test_rest).": {
			run("python3 -m unittest", 1, "FAIL: test_rest (t.Rest)"),
		},
		"Ran: `pytest -q` (red: t.py::test_a).": {
			run("pytest -q", 1, "FAILED t.py::test_a - assert 1 == 2"),
		},
		"Ran: `make` (exit code 2).":                  {run("make", 2, "no rule")},
		"Ran: `sleep 9` (it was stopped).":            {run("sleep 9", -1, "FAIL: x")},
		"Ran: `grep FAIL` (exit code 0).":             {run("grep FAIL", 0, "FAIL: test_a")},
		"Ran: the tests (Tests: 3 passed, 1 failed).": {{Output: "Tests: 3 passed, 1 failed."}},
		"Ran: `d` (exit code 0), `c` (exit code 0), `b` (exit code 0), 1 earlier command.": {
			run("a", 0, ""), run("b", 0, ""), run("c", 0, ""), run("d", 0, ""),
		},
		"Ran: `echo 'x (program) ok'` (exit code 0).": {run("echo 'x\n(program) ok'", 0, "")},
	} {
		require.Equal(t, want, ranText(ran))
	}
}
