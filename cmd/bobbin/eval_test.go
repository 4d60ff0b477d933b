package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

const ourSuite = "testdata/suite"

// scriptedModels names the models that a script answers for.
const scriptedModels = good + `agents:
  orchestrator: {model: scripted-orchestrator}
  quick: {model: scripted-quick}
models:
  scripted-orchestrator: {input_usd_per_million: 1, output_usd_per_million: 10}
`

// One task goes the whole way: the person reports, approves, and the hidden tests judge what was pushed.
func TestATaskIsEvaluated(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/eval/py-cron.model")
	require.NoError(t, err)
	model := modeltest.Start(t, string(script))
	out := filepath.Join(t.TempDir(), "run")
	env := map[string]string{"OPENAI_BASE_URL": model.URL, "BOBBIN_CONFIG": writeConfig(t, scriptedModels)}
	code, said, errs := call(t, t.Context(), env, "eval", ourSuite, "--tasks", "py-cron", "--out", out)
	require.Equal(t, cli.ExitOK, code, errs)
	require.NoError(t, model.Finish())
	run, err := report.Load(out)
	require.NoError(t, err)
	require.Len(t, run.Results, 1)
	x := run.Results[0]
	require.True(t, x.Solved, "%s\n%s", x.Why, x.Thread)
	require.Equal(t, report.Size{Added: 5, Removed: 1, TestsAdded: 12, UpstreamAdded: 5, UpstreamRemoved: 1}, x.Size)
	require.Equal(t, 7, x.Steps)
	require.Greater(t, x.PromptBytes, 50_000)
	require.InDelta(t, 0.5, x.CachedShare(), 0.4)
	require.Positive(t, x.USD)
	require.Contains(t, x.Thread, "ann: fix it")
	require.Equal(t, "scripted-orchestrator medium", run.Models["orchestrator"])
	require.Regexp(t, `py-cron +python +bug +yes +\+5 −1 +\+12 −0 +\+5 −1`, said)
	require.Contains(t, said, "1 of 1 solved; 7 steps")
	require.Contains(t, errs, "1/1  py-cron-1  solved\n")
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "Solved</span> py-cron: A schedule skips the end of the month")

	// What a run has is not played again.
	code, _, errs = call(t, t.Context(), env, "eval", ourSuite, "--tasks", "py-cron", "--out", out)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "holds a run already; go on with it by --resume")
	code, said, errs = call(t, t.Context(), env, "eval", ourSuite, "--tasks", "py-cron", "--out", out, "--resume")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, said, "1 of 1 solved")
	code, said, _ = call(t, t.Context(), nil, "eval", "--compare", out, out)
	require.Equal(t, cli.ExitOK, code)
	require.Contains(t, said, "as many solved of 1 (1 → 1): no task differs")
}
