package build

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func TestAsMuchMemoryAsAQuarterOfTheMachine(t *testing.T) {
	t.Parallel()
	const gb = int64(1) << 30
	for machine, want := range map[int64]int64{
		0: 2 * gb, 4 * gb: 2 * gb, 23 * gb: 5 * gb, 32*gb - 1: 7 * gb, 512 * gb: 16 * gb,
	} {
		require.Equal(t, want, memoryFor(machine))
	}
	require.GreaterOrEqual(t, DefaultMemory(), 2*gb)
}

func TestOneWorkerAtATime(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"make -j8 check":                 "make -j1 check",
		"make -j$(nproc)":                "make -j1",
		"cmake --build b --parallel 8":   "cmake --build b -j1",
		"ctest -j 4 --test-dir b":        "ctest -j1 --test-dir b",
		"go test -p 4 -json ./...":       "go test -p=1 -json ./...",
		"python3 -m pytest -n auto x":    "python3 -m pytest -n0 x",
		"node_modules/.bin/jest --ci":    "node_modules/.bin/jest --maxWorkers=1 --ci",
		"jest --maxWorkers=50% --ci":     "jest --maxWorkers=1 --ci",
		"cargo test":                     "cargo test",
		"mocha --parallel test":          "mocha test",
		"grep -n 3 x; sort -p 3; vitest": "grep -n 3 x; sort -p 3; vitest",
	} {
		require.Equal(t, oneWorker+want, withOneWorker(line))
	}
}

// TestATestThatNeedsTooMuchMemoryIsOneFailedTest has a suite of two programs, of which one needs more memory
// than the limit, and a make that starts both at once, which fit one by one.
func TestATestThatNeedsTooMuchMemoryIsOneFailedTest(t *testing.T) {
	t.Parallel()
	c := checker(t)
	if !strings.Contains(c.Caches.Sandbox.Describe(), "memory") {
		// Only the kernel can end one process for its memory, and only where it counts it.
		t.Skip("no control group counts the memory here: a run that needs too much is ended as a whole")
	}
	m, _ := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c.Limits = sandbox.Limits{Memory: 256 << 20, Time: 20 * time.Minute}
	eat := func(mb string) string {
		return "head -c " + mb + "000000 /dev/zero | tail -c " + mb + "000000 | (sleep 1; cat >/dev/null)"
	}
	suite := "echo TAP version 13\n" +
		"if (" + eat("900") + ") 2>&1; then echo ok 1 - big; else echo not ok 1 - big; " +
		"echo '  ---'; echo '  signal: killed'; echo '  ...'; fi\n" +
		"echo ok 2 - small; echo 1..2; exit 1\n"
	r := runIn(t, c.For(m), repotest.Files{"t.sh": "set -o pipefail\n" + suite},
		project.Project{Test: "bash t.sh"})
	require.Equal(t, result.Counts{Passed: 1, Failed: 1}, r.Counts, r.Output)
	require.Empty(t, r.Stopped)
	require.False(t, r.OneWorker, "it does not fit alone either")
	require.Equal(t, result.StoppedMemory, r.Tests[0].Lacked)
	require.Contains(t, r.String(), "1 of the failed needed more than 256 MB")
	require.Contains(t, r.String(), "`checks: {memory: 512 MB}`")
	require.NotZero(t, r.Used.Killed)

	repotest.NeedCommand(t, "make --version")
	// Two that run at once hold their memory until both have theirs, and then for as long as it takes to be
	// measured, which is the longer the busier the machine is. A killed one has nothing to read.
	files := repotest.Files{
		"Makefile": "SHELL = bash\n.SHELLFLAGS = -o pipefail -c\nall: a b\n" +
			"a: other = b\nb: other = a\na b:\n" +
			"\t@head -c 170000000 /dev/zero | tail -c 170000000 | (head -c 1 >/dev/null; touch $@.has; \\\n" +
			"\tcase '$(MAKEFLAGS)' in *jobserver*) for n in {1..3000}; do \\\n" +
			"\t\ttest -e $(other).has && break; sleep 0.1; done;; esac; \\\n" +
			"\tsleep $$((2 + 4 * SECONDS)); cat >/dev/null)\n",
	}
	r = runIn(t, c.For(m), files, project.Project{Test: "make -j2 all && printf 'ok 1 - a\\n1..1\\n'"})
	require.True(t, r.OK(), r.String()+r.Output)
	require.True(t, r.OneWorker)
	require.Contains(t, r.String(), "one worker at a time, since all at once needed more than 256 MB")

	c.Limits.Memory = 2 << 30 // the control
	r = runIn(t, c.For(m), files, project.Project{Test: "make -j2 all && printf 'ok 1 - a\\n1..1\\n'"})
	require.False(t, r.OneWorker)
	require.Greater(t, r.Used.Memory, int64(200<<20))
}

// TestATestThatWritesAFileTooLargeLacksSpace has a test whose program is ended by the limit of a file's size.
func TestATestThatWritesAFileTooLargeLacksSpace(t *testing.T) {
	t.Parallel()
	c := checker(t)
	files := repotest.Files{"t.sh": `echo TAP version 13
why=$(sh -c 'head -c 3000000 /dev/zero >big; exit $?' 2>&1) && echo ok 1 - big || {
	echo not ok 1 - big; echo '  ---'; echo "  $why"; echo '  ...'
}
echo ok 2 - small; echo 1..2
`}
	c.Limits = sandbox.Limits{FileSize: 1 << 20, Disk: 2 << 30}
	r := runIn(t, c, files, project.Project{Test: "sh t.sh"})
	require.Equal(t, result.Counts{Passed: 1, Failed: 1}, r.Counts, r.Output)
	require.Equal(t, result.LackedFileSize, r.Limited(), r.Output)
	require.Contains(t, r.String(), "1 of the failed wrote a file of more than 1 MB")
	require.Contains(t, r.String(), "`checks: {disk: 2 GB}`")
	// A suite of make, of which nothing can be counted.
	made := repotest.Files{"Makefile": "check:\n\thead -c 3000000 /dev/zero >big\n"}
	r = runIn(t, c, made, project.Project{Test: "make check"})
	require.Equal(t, result.LackedFileSize, r.Limited(), r.Output)
	require.Contains(t, r.String(), "wrote a file of more than 1 MB")
	c.Limits = sandbox.Limits{} // the control
	r = runIn(t, c, files, project.Project{Test: "sh t.sh"})
	require.Equal(t, result.Counts{Passed: 2}, r.Counts, r.Output)
	require.Empty(t, runIn(t, c, made, project.Project{Test: "make check"}).Limited())
}

// TestWhatEndedBeforeALimitCounts has a suite that hangs in its third test.
func TestWhatEndedBeforeALimitCounts(t *testing.T) {
	t.Parallel()
	c := checker(t)
	var r result.Result
	for most := 5 * time.Second; most < 5*time.Minute && r.Passed < 2; most *= 2 {
		c.Limits.Time = most
		r = runIn(t, c, nil, project.Project{Test: `echo '{"Action":"run","Package":"p","Test":"TestA"}'
echo '{"Action":"pass","Package":"p","Test":"TestA"}'
echo '{"Action":"pass","Package":"p","Test":"TestB"}'
echo '{"Action":"run","Package":"p","Test":"TestHangs"}'
sleep 6000`})
	}
	require.Equal(t, result.Counts{Passed: 2}, r.Counts)
	require.Equal(t, []string{"TestHangs"}, r.Unfinished)
	require.Contains(t, r.String(), "2 passed, ran too long: more than")
	require.False(t, r.RedSince(result.Result{}))
	r.Stopped = "" // the control
	require.True(t, r.RedSince(result.Result{}))
}
