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
	t.Log(said, errs, run.Results[0].Thread)
	x := run.Results[0]
	require.True(t, x.Solved, x.Why)
}
