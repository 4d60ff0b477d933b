package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// DefaultTime is the time limit of one command of a build or of tests.
const DefaultTime = 10 * time.Minute

// Bounds of DefaultMemory.
const (
	leastMemory = 2 << 30
	mostMemory  = 16 << 30
)

// DefaultMemory is the memory limit of one command of a build or of tests: a quarter of the machine's memory
// in whole gigabytes, at least 2 GB and at most 16 GB. Four suites that take all they may then fit beside one
// another, and 2 GB are what a middling compiler or test runner needs.
var DefaultMemory = sync.OnceValue(func() int64 {
	return memoryFor(sandbox.MachineMemory())
})

// memoryFor is DefaultMemory for a machine with that much memory; 0 means unknown.
func memoryFor(machine int64) int64 {
	return min(mostMemory, max(leastMemory, machine/4>>30<<30))
}

// runSparing runs one command line. If it needs more memory than it may, it runs once more with one worker at
// a time; where that helps it always does so from then on. It reports whether the outcome is of such a run.
func (t *treeRun) runSparing(ctx context.Context, line, report string) (o outcome, one bool, err error) {
	one, known := t.checker.workersOf(line)
	if one {
		o, err = t.runCommand(ctx, withOneWorker(line), report)
		return o, true, err
	}
	o, err = t.runCommand(ctx, line, report)
	if err != nil || known || !o.lackedMemory() {
		return o, false, err
	}
	kept, err := t.keepReports(report)
	if err != nil {
		return o, false, err
	}
	again, err := t.runCommand(ctx, withOneWorker(line), report)
	if err != nil {
		return o, false, err
	}
	helped := !again.lackedMemory() || o.stopped != "" && again.stopped == ""
	t.checker.noteWorkers(line, helped)
	if helped {
		return again, true, removeReports(kept)
	}
	return o, false, t.restoreReports(kept, report)
}

// keepReports moves the report files of a run aside and makes an empty folder for the next one.
func (t *treeRun) keepReports(report string) (kept string, err error) {
	if report == "" {
		return "", nil
	}
	kept = report + "-first"
	return kept, errors.Join(os.Rename(report, kept), os.Mkdir(report, 0o755),
		t.checker.Caches.Sandbox.Own(report))
}

// restoreReports puts the report files of keepReports back.
func (t *treeRun) restoreReports(kept, report string) error {
	if report == "" {
		return nil
	}
	return errors.Join(removeReports(report), os.Rename(kept, report))
}

// removeReports removes a folder of reports, if there is one, with whatever commands made of it.
func removeReports(folder string) error {
	if folder == "" {
		return nil
	}
	return disk.RemoveFolder(folder)
}

// noteWorkers notes of a command line that needs too much memory whether one worker at a time helps.
func (c *Checker) noteWorkers(line string, helps bool) {
	if c.needsOneWorker != nil {
		c.needsOneWorker.Store(line, helps)
	}
}

// workersOf reports whether a command line runs with one worker at a time, and whether that was tried.
func (c *Checker) workersOf(line string) (one, known bool) {
	if c.needsOneWorker == nil {
		return false, false
	}
	helps, known := c.needsOneWorker.Load(line)
	return known && helps.(bool), known
}

// oneWorker makes build tools and test runners do one thing at a time, by the variables that they read. A
// tool that reads none is not affected.
const oneWorker = `export GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=1" GOMAXPROCS=1 MAKEFLAGS="-j1 $MAKEFLAGS"
export CMAKE_BUILD_PARALLEL_LEVEL=1 CTEST_PARALLEL_LEVEL=1 MESON_TESTTHREADS=1
export CARGO_BUILD_JOBS=1 RUST_TEST_THREADS=1 NEXTEST_TEST_THREADS=1
export VITEST_MAX_WORKERS=1 VITEST_MAX_THREADS=1 VITEST_MAX_FORKS=1 PYTEST_XDIST_AUTO_NUM_WORKERS=1
export PARALLEL_WORKERS=1 PARALLEL_TEST_PROCESSORS=1
`

// fewer are the flags by which command lines ask for several workers, and those that ask for one.
var fewer = []struct {
	of, flag *regexp.Regexp
	one      string
}{
	{
		regexp.MustCompile(`\b(?:make|ninja|ctest|cargo|cmake|prove|bats)\b`),
		regexp.MustCompile(`( )(?:-j|--jobs|--parallel)[ =]?(?:"?\$\([^)]*\)"?|\d+)?( |$)`),
		"${1}-j1$2",
	},
	{regexp.MustCompile(`\bgo\b`), regexp.MustCompile(`( )-p[= ]\d+( |$)`), "${1}-p=1$2"},
	{
		regexp.MustCompile(`\bpy\.?test\b`),
		regexp.MustCompile(`( )(?:-n|--numprocesses)[ =]?(?:auto|logical|\d+)( |$)`),
		"${1}-n0$2",
	},
	{
		regexp.MustCompile(`\bjest\b`),
		regexp.MustCompile(`()(?:--maxWorkers[ =]\S+|-w[ =]?\S+) ?()`), "$1$2",
	},
	{regexp.MustCompile(`\bmocha\b`), regexp.MustCompile(`()--parallel ?()`), "$1$2"},
}

// jestCall matches a call of jest.
var jestCall = regexp.MustCompile(`((?:^|[\s/])jest)( |$)`)

// withOneWorker returns the command line with one worker at a time.
func withOneWorker(line string) string {
	for _, f := range fewer {
		if f.of.MatchString(line) {
			line = f.flag.ReplaceAllString(line, f.one)
		}
	}
	return oneWorker + jestCall.ReplaceAllString(line, "$1 --maxWorkers=1$2")
}

var (
	// killedForMemory matches what is printed of a process that the kernel killed.
	killedForMemory = regexp.MustCompile(
		`signal: killed|SIGKILL|\bKilled\b|exit (?:code|status) 137|MemoryError|out of memory|` +
			`Cannot allocate memory`)
	// noMoreProcesses matches what is printed where no process or thread can be started.
	noMoreProcesses = regexp.MustCompile(
		`(?i)resource temporarily unavailable|can't start new thread|\bEAGAIN\b|cannot fork|` +
			`failed to create new OS thread|unable to create (?:native )?thread|pthread_create failed`)
	// fileTooLarge matches what is printed where a file would become larger than it may.
	// make and shells tell it by the signal's number (128 + SIGXFSZ).
	fileTooLarge = regexp.MustCompile(`(?i)file size limit exceeded|\[Errno 27\]|: file too large$|` +
		`\bSIGXFSZ\b|\bEFBIG\b|(?m)^make(\[\d+\])?: \*\*\* .* Error 153$`)
)

// codeFileSize is the exit code of a shell whose command was ended by SIGXFSZ.
const codeFileSize = 128 + 25

// markLacking says of each failed test whether it failed since the run reached a limit. If nothing can be
// read of a run in which a process was ended at its limit of memory or of a file's size, the run as a whole
// was stopped.
func markLacking(r *result.Result, o outcome) {
	if !r.Counted && r.Stopped == "" && !r.TestsOK {
		switch {
		case o.used.Killed > 0:
			r.Stopped = result.StoppedMemory
		case o.code == codeFileSize || fileTooLarge.MatchString(o.text):
			r.Stopped = result.LackedFileSize
		}
		if r.Stopped != "" {
			takeTests(r, outcome{text: o.text, code: o.code, stopped: r.Stopped}, nil)
			return
		}
	}
	crowded := o.used.Processes > r.Limits.Processes*3/4
	for i, t := range r.Tests {
		text := t.Output
		switch {
		case t.Status != result.Failed:
		case o.used.Killed > 0 && (killedForMemory.MatchString(text) || t.Unfinished):
			r.Tests[i].Lacked = result.StoppedMemory
		case crowded && noMoreProcesses.MatchString(text):
			r.Tests[i].Lacked = result.LackedProcesses
		case fileTooLarge.MatchString(text):
			r.Tests[i].Lacked = result.LackedFileSize
		}
		if lacked := r.Tests[i].Lacked; lacked != "" {
			r.Tests[i].Output = strings.TrimRight(text, "\n") + "\n(" + r.Limits.Needed(lacked) + ")\n"
		}
	}
}

// reportFolder makes a folder for the reports of a run.
func (t *treeRun) reportFolder(work string) (string, error) {
	report := filepath.Join(work, "report")
	return report, errors.Join(os.Mkdir(report, 0o755), t.checker.Caches.Sandbox.Own(report))
}
