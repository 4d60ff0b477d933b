package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

const ourSuite = "testdata/suite"

// scriptedModels is a configuration with the models that the script plays.
const scriptedModels = good + `agents:
  orchestrator: {model: scripted-orchestrator}
  quick: {model: scripted-quick}
models:
  scripted-orchestrator: {input_usd_per_million: 1, output_usd_per_million: 10}
`

// TestATaskIsEvaluated plays one task from start to end: the person reports and approves, and the hidden
// tests judge the pushed branch.
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
	require.Equal(t, report.Size{
		Added:           5,
		Removed:         1,
		TestsAdded:      12,
		UpstreamAdded:   5,
		UpstreamRemoved: 1,
		Hunks:           "3 of 3",
	}, x.Size)
	require.Equal(t, 8, x.Steps)
	require.Greater(t, x.PromptBytes, 50_000)
	require.InDelta(t, 0.5, x.CachedShare(), 0.4)
	require.Positive(t, x.USD)
	require.Contains(t, x.Thread, "ann: fix it")
	require.Equal(t, "scripted-orchestrator", run.Models["orchestrator"])
	require.Regexp(t, `py-cron +python +bug +yes +\+5 −1 +\+12 −0 +\+5 −1`, said)
	require.Contains(t, said, "1 of 1 solved; 8 steps")
	require.Contains(t, errs, "1/1  py-cron-1  solved\n")
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "Solved</span> py-cron: A schedule skips the end of the month")

	// A task that the run has already is not played again.
	code, _, errs = call(t, t.Context(), env, "eval", ourSuite, "--tasks", "py-cron", "--out", out)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "holds a run already; continue it with --resume")
	code, said, errs = call(t, t.Context(), env, "eval", ourSuite, "--tasks", "py-cron", "--out",
		out, "--resume")
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, said, "1 of 1 solved")

	// Results of other models or of another suite are not added to the run.
	other := map[string]string{"OPENAI_BASE_URL": model.URL, "BOBBIN_CONFIG": writeConfig(t, good)}
	code, _, errs = call(t, t.Context(), other, "eval", ourSuite, "--tasks", "py-cron", "--out",
		out, "--resume")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "holds a run with other models; ")
	ours, err := filepath.Abs(ourSuite)
	require.NoError(t, err)
	renamed := filepath.Join(t.TempDir(), "ours")
	require.NoError(t, os.Symlink(ours, renamed))
	code, _, errs = call(t, t.Context(), env, "eval", renamed, "--tasks", "py-cron", "--out", out, "--resume")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "holds a run of the suite suite; ")

	code, said, _ = call(t, t.Context(), nil, "eval", "--compare", out, out)
	require.Equal(t, cli.ExitOK, code)
	require.Contains(t, said, "as many solved of 1 (1 → 1): no task differs")
}

// TestTheBarCountsWhatIsPlayed checks that of an earlier run the bar counts only what this run would play,
// and that a bar with more results than it has places is full.
func TestTheBarCountsWhatIsPlayed(t *testing.T) {
	t.Parallel()
	earlier := []report.Result{
		{Task: "cron", Attempt: 1, Solved: true},
		{Task: "cron", Attempt: 2},
		{Task: "cron", Attempt: 3, Solved: true},
		{Task: "other", Attempt: 1, Solved: true},
	}
	var said strings.Builder
	b := newBar(&said, []suite.Task{{Name: "cron"}, {Name: "split"}}, 2, earlier)
	require.Equal(t, []int{4, 2, 1}, []int{b.of, b.done, b.good})
	b.step(report.Result{Task: "split", Attempt: 1, Solved: true})
	require.Equal(t, "3/4  split-1  solved\n", said.String())
	said.Reset()
	(&bar{w: &said, live: true, of: 4, done: 20}).draw()
	require.Contains(t, said.String(), "["+strings.Repeat("#", barWidth)+"] 20/4")
}

// TestOurSuiteShowsSomething is the control of the suite: the hidden tests fail on each base and pass on
// each good fix. It checks the first task of each language; with BOBBIN_SUITE=all every task.
func TestOurSuiteShowsSomething(t *testing.T) {
	t.Parallel()
	tasks, err := suite.Read(ourSuite, "*")
	require.NoError(t, err)
	kinds := map[string]int{}
	several := 0
	for _, task := range tasks {
		kinds[task.Kind]++
		kinds[task.Language]++
		if task.FilesChanged() > 1 {
			several++
		}
	}
	require.GreaterOrEqual(t, 3*several, len(tasks), "a third is over several files")
	require.Equal(t, map[string]int{
		"bug":        16,
		"feature":    4,
		"go":         5,
		"python":     4,
		"javascript": 4,
		"typescript": 3,
		"rust":       4,
	}, kinds)
	if os.Getenv("BOBBIN_SUITE") != "all" {
		tasks = firstOfEachLanguage(tasks)
		require.Len(t, tasks, 5)
	}
	seeded := false
	err = eval.Check(t.Context(), eval.Checking{
		Tasks: tasks, Sandbox: stage.Sandbox, Log: harness.LogLines(t, "check"),
		Warm: func(c *build.Checker) error {
			if seeded {
				return nil
			}
			seeded = true
			return repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
				repotest.GoCacheDir(c.Cache.WritableMounts("")))
		},
		Found: func(v eval.Verdict) {
			require.Empty(t, v.Wrong, v.Task)
			if v.Skipped != "" {
				t.Logf("%s: %s", v.Task, v.Skipped)
			}
		},
	})
	require.NoError(t, err)
}

func firstOfEachLanguage(tasks []suite.Task) (first []suite.Task) {
	seen := map[string]bool{}
	for _, task := range tasks {
		if !seen[task.Language] {
			first = append(first, task)
		}
		seen[task.Language] = true
	}
	return first
}

// showsNothing holds tasks with one fault each; %s is the path of a repository.
const showsNothing = `-- applies-nowhere/task.yaml --
title: The fix is for another file
language: python
kind: bug
report: x
test: python3 -m unittest
-- applies-nowhere/repo/sums.py --
ONE = 1
-- applies-nowhere/hidden/test_sums.py --
import unittest, sums
class Sums(unittest.TestCase):
    def test_one(self):
        self.assertEqual(sums.ONE, 2)
-- applies-nowhere/good.patch --
diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -1 +1 @@
-TWO = 1
+TWO = 2
-- no-base/task.yaml --
title: The base is not there
language: python
kind: bug
report: x
test: python3 -m unittest
repository: {from: %s, base: v9}
-- no-base/hidden/test_sums.py --
-- no-base/good.patch --
diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -1 +1 @@
-ONE = 1
+ONE = 2
-- passes/task.yaml --
title: The hidden tests pass already
language: python
kind: bug
report: x
test: python3 -m unittest
-- passes/repo/sums.py --
ONE = 1
-- passes/hidden/test_sums.py --
import unittest, sums
class Sums(unittest.TestCase):
    def test_one(self):
        self.assertEqual(1, 1)
-- passes/good.patch --
diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -1 +1 @@
-ONE = 1
+ONE = 2
`

// TestTasksThatShowNothing checks that tasks whose hidden tests prove nothing are found, and that no model
// is asked about them.
func TestTasksThatShowNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other.git")
	require.NoError(t, stage.PlantRemote(other, []txtar.File{{Name: "sums.py", Data: []byte("ONE = 1\n")}}))
	for _, f := range txtar.Parse(fmt.Appendf(nil, showsNothing, other)).Files {
		name := filepath.Join(dir, "suite", f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	code, said, _ := call(t, t.Context(), nil, "eval", "--check", filepath.Join(dir, "suite"))
	require.Equal(t, cli.ExitFailed, code)
	for _, want := range []string{
		"wrong   applies-nowhere: good.patch: sums.py: ",
		`wrong   no-base: git: source has no branch, tag or commit "v9"`,
		"wrong   passes: the hidden tests pass on the base, so they show nothing\n",
	} {
		require.Contains(t, said, want)
	}
	env := map[string]string{"OPENAI_BASE_URL": "http://" + harness.ClosedPort(t)}
	code, said, errs := call(t, t.Context(), env, "eval", filepath.Join(dir, "suite"), "--tasks", "[np]*",
		"--out", filepath.Join(dir, "run"))
	require.Equal(t, cli.ExitOK, code, errs)
	require.Regexp(t, `passes .* the hidden tests pass on the base, so they show nothing`, said)
	require.Regexp(t, `no-base .* source has no branch, tag or commit "v9"`, said)
	require.Contains(t, said, "0 of 0 solved, 2 skipped")
}

// twoTasks are two tasks on the same small repository: the first ends at its limit, the second is
// interrupted.
const twoTasks = `-- a-limited/task.yaml --
title: It takes too long
language: python
kind: bug
report: the first task
test: python3 -m unittest
limits: {steps: 1}
-- b-broken-off/task.yaml --
title: Nobody waits for it
language: python
kind: bug
report: the second task
test: python3 -m unittest
`

const twoAnswers = `
== scripted-orchestrator when user "the first task"
call read_file
  path: sums.py
---
hang limited
---
== scripted-orchestrator when user "the second task"
hang broken-off
---
`

// TestAnEvaluationIsBrokenOff checks that a task ends at its limits, and that Ctrl-C keeps the results that
// are finished.
func TestAnEvaluationIsBrokenOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	passes := strings.Split(showsNothing, "-- passes/task.yaml --")[1]
	files := strings.ReplaceAll(passes[strings.Index(passes, "-- passes/repo"):], "assertEqual(1, 1)",
		"assertEqual(sums.ONE, 2)")
	all := twoTasks + strings.ReplaceAll(files, "-- passes/",
		"-- a-limited/") + strings.ReplaceAll(files, "-- passes/", "-- b-broken-off/")
	for _, f := range txtar.Parse([]byte(all)).Files {
		name := filepath.Join(dir, "suite", f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	script, err := modeltest.Parse(t.Name(), twoAnswers)
	require.NoError(t, err)
	model, err := modeltest.Serve(script)
	require.NoError(t, err)
	defer model.Close() // how far the script gets differs between runs
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		select {
		case <-model.Reached("broken-off"):
			cancel()
		case <-ctx.Done():
		}
	}()
	out := filepath.Join(dir, "run")
	env := map[string]string{"OPENAI_BASE_URL": model.URL, "BOBBIN_CONFIG": writeConfig(t, scriptedModels)}
	code, said, errs := call(t, ctx, env, "eval", filepath.Join(dir, "suite"), "--out", out)
	require.Equal(t, cli.ExitStopped, code, errs)
	require.Contains(t, errs, "bobbin: stopped")
	require.Regexp(t, `a-limited +python +bug +no .* it took 1 step\n`, said)
	run, err := report.Load(out)
	require.NoError(t, err)
	require.Len(t, run.Results, 1, "what was broken off is no result")
	require.Contains(t, run.Results[0].Thread, "the first task")
}
