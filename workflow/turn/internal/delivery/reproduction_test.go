package delivery

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// TestTheReportsCommandOnTheWork runs a command that failed on the base, where the file said no.
func TestTheReportsCommandOnTheWork(t *testing.T) {
	t.Parallel()
	const line = "cat said.txt; grep -q yes \\\n  said.txt"
	body, err := json.Marshal(map[string]string{"reproduction": line})
	require.NoError(t, err)
	report := workflow.Report{Kind: workflow.ReportRootCause, Body: body}
	c := failingCommand(report,
		[]progress.Command{{Command: line, ExitCode: 1}, {Command: line, Task: 3, ExitCode: 0}})
	require.Equal(t, line, c.Line)

	checker := &build.Checker{Caches: build.Caches{Sandbox: repotest.OpenSandbox(t), Dir: t.TempDir()}}
	for said, want := range map[string]string{
		"yes": "The report's command failed before and passes now",
		"no":  "The report's command still fails (exit code 1)",
	} {
		m, commits := repotest.NewMirror(t, repotest.Files{"said.txt": said})
		w, err := m.Workspace(t.Context(), t.TempDir()+"/work", commits[0])
		require.NoError(t, err)
		t.Cleanup(func() { w.Close() })
		require.NoError(t, checker.Caches.Sandbox.Own(w.Files()))
		got, err := c.Run(t.Context(), checker.For(m), w)
		require.NoError(t, err)
		fails := said == "no"
		require.Equal(t, want, got.Text)
		require.Equal(t, fails, got.Fails)
		end := map[bool]string{true: " It printed:\n<output>\nno\n</output>"}
		require.Equal(t, end[fails], printed(got))
	}
}

// A command that never showed the bug is not run again, since its ending would say nothing.
func TestACommandThatShowedNothing(t *testing.T) {
	t.Parallel()
	report := workflow.Report{
		Kind: workflow.ReportRootCause,
		Body: json.RawMessage(`{"reproduction": "cat x"}`),
	}
	for _, ran := range [][]progress.Command{
		nil,
		{{Command: "cat x"}},
		{{Command: "cat x", ExitCode: 127}},
		{{Command: "cat x", ExitCode: -1}},
		{{Command: "cat x", Task: 1, ExitCode: 1}},
		{{Command: "cat y", ExitCode: 1}},
	} {
		require.Equal(t, Command{}, failingCommand(report, ran))
	}
	fails := []progress.Command{
		{Command: "T=[masked: configured] cat x", ExitCode: 1},
		{Command: "cat x", ExitCode: 1},
	}
	require.Equal(t, Command{"cat x"}, failingCommand(report, fails), "the control")
	report.Body = json.RawMessage(`{"reproduction": "T=[masked: configured] cat x"}`)
	require.Equal(t, Command{}, failingCommand(report, fails),
		"what was run had the secret in place of the mark")
	report.Body = json.RawMessage(`{"reproduction": "cat x"}`)
	report.Kind = workflow.ReportRequest
	require.Equal(t, Command{}, failingCommand(report, []progress.Command{{Command: "cat x", ExitCode: 1}}))
	got, err := Command{}.Run(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Empty(t, got)
}
