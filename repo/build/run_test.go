package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func runIn(t *testing.T, c *Checker, f repotest.Files, p project.Project) result.Result {
	t.Helper()
	r, err := c.Run(t.Context(), repotest.WriteTree(t, f), p)
	require.NoError(t, err)
	return r
}

func TestRunInOneLine(t *testing.T) {
	t.Parallel()
	tap := func(lines string) string { return "printf 'TAP version 13\\n" + lines + "'" }
	for _, c := range []struct {
		build, test, want string
		ok                bool
	}{
		{"true", tap(`ok 1 - a\nok 2 - b\n1..2\n`), "TEST: 2 passed, build clean", true},
		{"", tap(`ok 1 - a\nnot ok 2 - b\n1..2\n`) + "; exit 1", "TEST: 1 passed, 1 failed (b)", false},
		{"", tap(`ok 1 - a\nok 2 - b # SKIP\n1..2\n`), "TEST: 1 passed, 1 skipped", true},
		{
			"", tap(`ok 1 - a\n1..1\n`) + "; exit 3", "TEST: 1 passed, exit code 3 though no test failed",
			false,
		},
		{"", tap(`not ok 1 - a\n1..1\n`), "TEST: 0 passed, 1 failed (a)", false},
		{"", tap(`1..0\n`), "TEST: no tests", true},
		{"", "echo fine", "TEST: exit code 0 (the tests could not be counted)", true},
		{"", "exit 4", "TEST: exit code 4 (the tests could not be counted)", false},
		{
			"echo broken >&2; exit 2", "true",
			"TEST: exit code 0 (the tests could not be counted), build fails (BUILD)", false,
		},
		{"true", "", "build clean, no test command is known", true},
		{"", "", "nothing to run: no build or test command is known", true},
		{"", "no-such-program", "TEST: did not start: no-such-program is not installed", false},
		{
			"no-such-builder", "true",
			"TEST: exit code 0 (the tests could not be counted), build did not start: " +
				"no-such-builder is not installed (BUILD)",
			false,
		},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			r := runIn(t, checker(t), nil, project.Project{Build: c.build, Test: c.test})
			want := strings.NewReplacer("TEST", c.test, "BUILD", c.build).Replace(c.want)
			require.Equal(t, want, r.String())
			require.Equal(t, c.ok, r.OK())
		})
	}
}

func TestATimeOutIsSaid(t *testing.T) {
	t.Parallel()
	c := checker(t)
	var r result.Result
	// The time includes the command's start, which takes longer on a busy machine.
	for most := 5 * time.Second; most < 5*time.Minute && !strings.Contains(r.Output, "begun"); most *= 2 {
		c.Limits.Time = most
		r = runIn(t, c, nil, project.Project{Test: "echo begun; sleep 6000"})
	}
	require.False(t, r.OK())
	require.Equal(t, "time", r.Stopped)
	require.Contains(t, r.String(), "timed out after")
	require.Contains(t, r.Output, "begun")

	r = runIn(t, c, nil, project.Project{Build: "sleep 6000", Test: "true"})
	require.False(t, r.TestsRan)
	require.Contains(t, r.String(), "timed out after")
}

func TestCancellingEndsARun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := checker(t).Run(ctx, repotest.WriteTree(t, nil), project.Project{Test: "sleep 6000"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	r := runIn(t, checker(t), nil, project.Project{Test: "echo first; seq 1 100000; echo last; exit 1"})
	require.Less(t, len(r.Output), result.MaxText+200)
	require.True(t, strings.HasPrefix(r.Output, "first\n"))
	require.True(t, strings.HasSuffix(r.Output, "last\n"))
}

func TestReportsAreReadAndOddOnesAreNot(t *testing.T) {
	t.Parallel()
	xml := `<testsuites><testsuite name="s"><testcase classname="c" name="a"/><testcase classname="c" ` +
		`name="b"><failure/></testcase></testsuite></testsuites>`
	r := runIn(t, checker(t), nil, project.Project{Test: "echo '" + xml + "' > $REPORT_DIR/one.xml; " +
		"ln -s /etc/passwd $REPORT_DIR/two.xml; mkfifo $REPORT_DIR/three.xml; exit 1"})
	require.Equal(t, 1, r.Passed)
	require.Equal(t, 1, r.Failed)
	require.True(t, r.EveryTestNamed())
}

// TestTwoRunsInOneCommandAreCountedTogether has runners that overwrite the report they are asked
// for, as mocha and pytest do.
func TestTwoRunsInOneCommandAreCountedTogether(t *testing.T) {
	t.Parallel()
	write := "echo \"<testsuite><testcase classname='$1' name='a'/><testcase classname='$1' " +
		"name='b'/></testsuite>\" > \"$to\"\n"
	dir := repotest.WriteTree(t, repotest.Files{
		"package.json": `{"scripts": {"test": "npm run unit && npm run more", "unit": ` +
			`"mocha unit", "more": "mocha more"}}`,
		"node_modules/.bin/mocha": "#!/bin/sh\nfor a; do case $a in output=*) to=${a#output=} ;; esac; " +
			"done\n" + write,
		"bin/pytest": "#!/bin/sh\nfor a in $PYTEST_ADDOPTS \"$@\"; " +
			"do case $a in --junitxml=*) to=${a#*=} ;; esac; done\n" + write + "echo '2 passed in 0.01s'\n",
		"Makefile": "test:\n\tpytest unit\n\tpytest more\n",
	})
	for _, program := range []string{"node_modules/.bin/mocha", "bin/pytest"} {
		require.NoError(t, os.Chmod(filepath.Join(dir, program), 0o755))
	}
	for _, p := range []project.Project{
		project.Find(os.DirFS(dir)),
		{Test: "export PATH=$PWD/bin:$PATH && pytest unit && A=b pytest more"},
		{Test: "export PATH=$PWD/bin:$PATH; pytest -v unit; (cd bin; pytest -v more)"},
	} {
		r, err := checker(t).Run(t.Context(), dir, p)
		require.NoError(t, err)
		require.Equal(t, 4, r.Passed, "%s: %s", p.Test, r.Output)
		require.True(t, r.EveryTestNamed(), p.Test)
	}

	repotest.NeedCommand(t, "make --version")
	// A program in between hides the calls, so the second report overwrites the first.
	r, err := checker(t).Run(t.Context(), dir, project.Project{Test: "PATH=$PWD/bin:$PATH make test"})
	require.NoError(t, err)
	require.Equal(t, 4, r.Passed, r.Output)
	require.False(t, r.EveryTestNamed())
}

// TestTheRunnerBehindALinterThatIsNotThere has a package.json whose test script runs a linter first, and a
// mocha that writes its report to the requested file.
func TestTheRunnerBehindALinterThatIsNotThere(t *testing.T) {
	t.Parallel()
	const report = `<testsuite name="Mocha"><testcase classname="split" name="adds"/><testcase ` +
		`classname="split" name="is even"><failure>3 == 4</failure></testcase></testsuite>`
	dir := repotest.WriteTree(t, repotest.Files{
		"package.json": `{"scripts": {"lint": "eslint .", "test": ` +
			`"npm run lint && mocha --reporter dot test"}}`,
		"node_modules/.bin/mocha": "#!/bin/sh\nfor a; do\n\tcase $a in output=*) echo '" + report +
			"' > \"${a#output=}\" ;; esac\ndone\nexit 1\n",
	})
	require.NoError(t, os.Chmod(filepath.Join(dir, "node_modules/.bin/mocha"), 0o755))
	r, err := checker(t).Run(t.Context(), dir, project.Find(os.DirFS(dir)))
	require.NoError(t, err)
	require.Equal(t, "mocha test: 1 passed, 1 failed (is even)", r.String())
	require.True(t, r.EveryTestNamed())
}

// TestTheFlagsThatBreakTheTestsAreLeftOut has tests that read their program's arguments, as those of a
// command line library do: with a reporter's flag the tests cannot be counted.
func TestTheFlagsThatBreakTheTestsAreLeftOut(t *testing.T) {
	t.Parallel()
	jest := "#!/bin/sh\necho $* >> runs\nif [ $# -gt 0 ]; then echo \"error: unknown option '$1'\"; " +
		"exit 1; fi\nprintf 'PASS a.test.js\\nTests: 4 passed, 4 total\\n'\n"
	dir := repotest.WriteTree(t, repotest.Files{
		"package.json":           `{"scripts": {"test": "jest && eslint ."}}`,
		"node_modules/.bin/jest": jest,
	})
	require.NoError(t, os.Chmod(filepath.Join(dir, "node_modules/.bin/jest"), 0o755))
	p := project.Find(os.DirFS(dir))
	require.Equal(t, "jest --verbose", p.TestCommand())
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t).For(m)
	for range 2 { // the second run uses what the first one learnt
		r, err := c.Run(t.Context(), dir, p)
		require.NoError(t, err)
		require.Equal(t, "jest: 4 passed", r.String())
	}
	runs, err := os.ReadFile(filepath.Join(dir, "runs"))
	require.NoError(t, err)
	require.Equal(t, "--verbose\n\n\n", string(runs))

	// If neither command can be counted, the result of the first is reported.
	require.NoError(t, repotest.Files{"node_modules/.bin/jest": "#!/bin/sh\nexit 3\n"}.Write(dir))
	require.NoError(t, os.Chmod(filepath.Join(dir, "node_modules/.bin/jest"), 0o755))
	r, err := checker(t).Run(t.Context(), dir, p)
	require.NoError(t, err)
	require.Equal(t, "jest --verbose: exit code 3 (the tests could not be counted)", r.String())
}

// TestUnittestsAreNamed has tests that run through a module of their own, and a class that two modules
// contain.
func TestUnittestsAreNamed(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	f := repotest.Files{
		"tests/__init__.py": "#",
		"tests/__main__.py": "import unittest\nfrom tests.test_a import *\nfrom tests.test_b import *\n" +
			"unittest.main()\n",
		"tests/test_a.py": "import unittest\n\nclass Base(unittest.TestCase):\n    def test_base(self):\n" +
			"        pass\n",
		"tests/test_b.py": "from tests.test_a import *\n\nclass B(unittest.TestCase):\n" +
			"    def test_red(self):\n        self.fail('so')\n    def test_green(self):\n        pass\n",
	}
	for line, want := range map[string]string{
		"python3 -m tests":             "python3 -m tests: 2 passed, 1 failed (test_red)",
		"python3 -m unittest discover": "python3 -m unittest discover: 3 passed, 1 failed (test_red)",
	} {
		r := runIn(t, checker(t), f, project.Project{Test: line})
		require.Equal(t, want, r.String(), r.Output)
		require.True(t, r.EveryTestNamed(), r.Output)
	}
}

func TestGoTestIsCountedHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	require.Equal(t, "go test -json ./...", countableCommand("go test ./..."))
	require.Equal(t, "go test -json -vet=off ./...", countableCommand("go test -vet=off ./..."))
	require.Equal(t, "cd x && go test -json -race ./...", countableCommand("cd x && go test -race ./..."))
	for _, as := range []string{
		"go test -v ./...", "go test -json ./...", "cargo test", "make test", "gotestsum ./...",
		"python3 -m pytest && pip install pytest pytest-cov",
	} {
		require.Equal(t, as, countableCommand(as))
	}
}

func TestTheBaselineIsRunOnceAndRemembered(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{
		"t.sh": "printf 'TAP version 13\\nok 1 - a\\n1..1\\n'\n",
	}, repotest.Files{"t.sh": "exit 1\n"})
	c := checker(t)
	p := project.Project{Test: "sh t.sh; date +%N"}
	var all sync.WaitGroup
	results := make([]result.Result, 4)
	for i := range results {
		all.Go(func() { results[i], _ = c.For(m).Baseline(context.Background(), commits[0], p) })
	}
	all.Wait()
	for _, r := range results {
		require.Equal(t, results[0], r, "one run for all")
		require.Equal(t, 1, r.Passed)
	}

	other := *c // like another process
	again, err := other.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, results[0], again)

	next, err := c.For(m).Baseline(t.Context(), commits[1], p)
	require.NoError(t, err)
	require.False(t, next.Counted, "another commit is another run")

	file, err := c.For(m).Cache.resultFile(resultName(commits[0], p, "", ""))
	require.NoError(t, err)
	dir := filepath.Dir(filepath.Dir(file))
	for _, left := range folders(t, dir) {
		require.NotContains(t, left, "work-")
	}

	// A damaged result file is ignored, and the tests run again.
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o644))
	again, err = c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, 1, again.Passed)
	require.NotEqual(t, results[0].Output, again.Output)
}

func folders(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestARunThatWasStoppedIsNotRemembered(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t)
	c.Limits.Time = 300 * time.Millisecond
	p := project.Project{Test: "sleep 2; true"}
	r, err := c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, "time", r.Stopped)
	c.Limits.Time = time.Hour
	r, err = c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.True(t, r.OK())
}

// TestOnlyTheBaseWritesTheCache has a command that would poison the cache of all sessions.
func TestOnlyTheBaseWritesTheCache(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t)
	look := project.Project{Test: "cat " + entryContents}
	poison := "mkdir -p $GOCACHE/00 && echo poison > " + entryContents + " && cat " + entryContents
	require.Equal(t, "poison\n", runIn(t, c.For(m), nil, project.Project{Test: poison}).Output,
		"Go has to write there")
	require.False(t, runIn(t, c.For(m), nil, look).OK())
	require.False(t, runIn(t, c.For(m), nil, project.Project{Build: poison, Test: look.Test}).OK(),
		"tests do not see what the build wrote")

	// Control: a baseline may write the cache. Others read that, and cannot change it.
	r, err := c.For(m).Baseline(t.Context(), commits[0], project.Project{Test: writesEntry})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	require.Equal(t, "base\n", runIn(t, c.For(m), nil, look).Output)
	r = runIn(t, c.For(m), nil, project.Project{Test: "echo more >> " + entryContents})
	require.False(t, r.OK(), r.Output)
	require.Contains(t, r.Output, "ead-only")

	// Another repository has another cache, and a Checker without For has an empty one.
	other, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	require.False(t, runIn(t, c.For(other), nil, look).OK())
	require.False(t, runIn(t, c, nil, look).OK())
}

// TestWithoutConfinement uses the sandbox of kind none, which cannot mount anything.
func TestWithoutConfinement(t *testing.T) {
	t.Parallel()
	none, err := sandbox.Open(t.Context(), sandbox.Config{Kind: sandbox.KindNone})
	require.NoError(t, err)
	c := checker(t)
	c.Caches.Sandbox = none
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	_, err = c.For(m).Baseline(t.Context(), commits[0], project.Project{Test: writesEntry})
	require.NoError(t, err)
	xml := `<testsuite name="s"><testcase classname="c" name="a"/></testsuite>`
	r := runIn(t, c.For(m), nil, project.Project{
		Build: "cat " + entryContents,
		Test:  "echo '" + xml + "' > $REPORT_DIR/one.xml",
	})
	require.True(t, r.OK(), r.BuildOutput)
	require.Equal(t, 1, r.Passed)
}

// TestTestsUseWhatTheBuildCompiled lists what a command line may be that gives its
// build cache to the next one.
func TestTestsUseWhatTheBuildCompiled(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	tree := repotest.Files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n\nfunc F() {}\n"}
	compiled := "! find $GOCACHE -type f -name '*-d' -size +0 -exec grep -l 'package x\\|x.go' {} + | grep ."
	for line, kept := range map[string]bool{
		"go build ./...":         true,
		"go vet .":               true,
		"go build . ./...":       true,
		"go build -a ./...":      false,
		"go build ./... && true": false,
		"go test ./...":          false,
		"go run .":               false,
		"go vet -vettool=./x .":  false,
	} {
		require.Equal(t, kept, runsNothingOfTheTree(line), line)
	}
	for build, kept := range map[string]bool{"go build ./...": true, "go build ./... && true": false} {
		r := runIn(t, checker(t).For(m), tree, project.Project{Build: build, Test: compiled})
		require.True(t, r.BuildOK, r.BuildOutput)
		require.Equal(t, !kept, r.ExitCode == 0, "%s: %s", build, r.Output)
	}
}

func TestGoBuildsFromAColdCacheThatIsReadOnly(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	r := runIn(t, checker(t).For(m), repotest.Files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n"},
		project.Project{Build: "go list ./... && go env GOFLAGS"})
	require.True(t, r.OK(), r.BuildOutput)
	require.Equal(t, "x\n\n", r.BuildOutput)
}

func TestGoTakesAVendorFolderAndTheModuleCache(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t)
	c.Caches.ModuleCache = "-"
	vendored := repotest.Files{
		"go.mod":                       "module x\n\ngo 1.24\n\nrequire example.com/dep v1.0.0\n",
		"x.go":                         "package x\n\nimport _ \"example.com/dep\"\n",
		"vendor/modules.txt":           "# example.com/dep v1.0.0\n## explicit; go 1.24\nexample.com/dep\n",
		"vendor/example.com/dep/d.go":  "package dep\n",
		"vendor/example.com/dep/go.md": "kept\n",
	}
	r := runIn(t, c.For(m), vendored, project.Project{Build: "go list -deps ./... | grep example"})
	require.True(t, r.OK(), r.BuildOutput)

	// The machine's module cache holds the modules of these tests, unless the tests were built elsewhere.
	if has, _ := filepath.Glob(filepath.Join(checker(t).Caches.GoModules(),
		"github.com/stretchr/testify@*")); len(has) == 0 {
		t.Skip("the rest is not run: there is no module cache here that holds testify")
	}
	sum, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	tree := repotest.Files{
		"go.mod": string(mod),
		"go.sum": string(sum),
		"x.go":   "package bobbin\n\nimport _ \"github.com/stretchr/testify/require\"\n",
	}
	r = runIn(t, checker(t).For(m), tree, project.Project{Build: "go list -deps . >/dev/null"})
	require.True(t, r.OK(), r.BuildOutput)

	// Control: without the module cache the build fails.
	r = runIn(t, c.For(m), tree, project.Project{Build: "go list -deps . >/dev/null"})
	require.False(t, r.OK())
}

// TestABaselineNeedsACache checks that Baseline fails without a folder to store its result in.
func TestABaselineNeedsACache(t *testing.T) {
	t.Parallel()
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := &Checker{Caches: Caches{Sandbox: repotest.OpenSandbox(t)}}
	_, err := c.For(m).Baseline(t.Context(), "x", project.Project{})
	require.ErrorContains(t, err, "no folder for caches")
}

// TestAReportOfATestIsNotTheReportOfTheRun has a suite whose tests run a runner of their own, which finds the
// variables of the run and writes its report where the run's would be.
func TestAReportOfATestIsNotTheReportOfTheRun(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	inner := "import os, sys\nfor o in os.environ['PYTEST_ADDOPTS'].split():\n" +
		"    if o.startswith('--junitxml='):\n        open(o[11:], 'w').write('<testsuite tests=\"1\">" +
		"<testcase classname=\"c\" name=\"inner\"/></testsuite>')\n" +
		"print('1 passed in 0.01s', file=sys.stderr)\n"
	suite := "import subprocess, sys, unittest\n\nclass T(unittest.TestCase):\n    def test_inner(self):\n" +
		"        subprocess.run([sys.executable, 'inner.py'], check=True)\n" +
		"    def test_red(self):\n        self.fail('so')\n"
	for i := range 40 {
		suite += fmt.Sprintf("    def test_%d(self):\n        pass\n", i)
	}
	for line, want := range map[string]string{
		"python3 -m unittest test_all":    "41 passed, 1 failed (test_red)",
		"python3 -m unittest -v test_all": "41 passed, 1 failed (test_red)",
		// the control: where only the report tells of tests, it counts
		"python3 inner.py 2>/dev/null": "1 passed",
	} {
		r := runIn(t, checker(t), repotest.Files{"inner.py": inner, "test_all.py": suite},
			project.Project{Test: line})
		require.Contains(t, r.String(), want, r.Output)
		_, _, wrong := r.Miscounted()
		require.False(t, wrong)
	}
}
