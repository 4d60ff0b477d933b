package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/internal/runners"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// captureHalf is how many bytes of the beginning and of the end of an output are kept for counting: both
// together are what the sandbox lets a command print, so nothing is left out.
const captureHalf = 32 << 20

// maxReport is the size in bytes of a report file; files of that size or more are ignored.
const maxReport = 32 << 20

// insideReport is the folder for reports as commands see it.
const insideReport = "/report"

// An outcome is the result of one command line.
type outcome struct {
	text    string
	code    int
	stopped string // why the sandbox ended the command; empty if it did not
	printed int64  // the number of bytes printed, also those left out of text
	used    result.Used

	services   []string // lines about services that did not start
	serviceLog string   // the end of the services' logs, if the command failed
}

// lackedMemory reports whether the command, or a process of it, was killed since it needed too much memory.
func (o outcome) lackedMemory() bool { return o.stopped == result.StoppedMemory || o.used.Killed > 0 }

// withServices returns an output with what there is to say of the services behind it.
func (o outcome) withServices(output string) string {
	lines := slices.Clone(o.services)
	if o.serviceLog != "" {
		lines = append(lines, result.StripTerminal(o.serviceLog))
	}
	if len(lines) == 0 {
		return output
	}
	return strings.TrimSuffix(output, "\n") + "\n" + strings.Join(lines, "\n") + "\n"
}

// A treeRun is one run of the build and the tests of a tree.
type treeRun struct {
	checker  *Checker
	cache    *Cache
	dir      string
	writable bool // commands may write to the repository's cache
	first    *First
	built    func() // called once, between the build and the tests; may be nil

	kept     *journalRun // its place in the journal; nil: there is none
	watching *watchedRun // nil: its progress is not told

	scratch string // folder for a build cache that the next command may write; empty if there is none
	unmake  func() // removes scratch
}

// A First is the tests that run before the others. Without a command in Near, nothing runs first.
type First struct {
	project.Parts
	// Enough decides on the result of the near tests: if it returns true, the other tests are not run.
	Enough func(near result.Result) bool
}

// Run builds and tests the current files of dir. Nothing that the commands write into the caches is kept.
// Commands write into dir; the caller must have given dir to the sandbox's user with Sandbox.Own.
func (c *Checker) Run(ctx context.Context, dir string, p project.Project) (result.Result, error) {
	return c.runTreeAt(ctx, treeRun{dir: dir}, p)
}

func (c *Checker) runTreeAt(ctx context.Context, j treeRun, p project.Project) (result.Result, error) {
	r := result.Result{Project: p}
	if !c.HasSandbox() {
		return r, ErrNoSandbox
	}
	r.Limits = c.TestLimits()
	j.checker = c
	j.cache = c.cacheOrEmpty()
	release, err := j.cache.pin(ctx)
	if err != nil {
		return r, err
	}
	defer release()
	defer j.removeScratch()
	began := time.Now()
	var ended func()
	j.watching, ended = c.watchRun(p.Build != "")
	defer ended()
	if p.Build != "" {
		o, one, err := j.runSparing(ctx, p.Build, "")
		if err != nil {
			return r, err
		}
		r.OneWorker = one
		r.Used.Add(o.used)
		r.BuildRan = true
		r.BuildOK = o.code == 0
		r.Missing.Build = o.missing()
		r.BuildOutput = result.KeepEnds(o.withServices(result.StripTerminal(o.text)), result.MaxText)
		r.Stopped = o.stopped
		r.Printed = o.printed
	}
	if j.built != nil {
		j.built()
	}
	j.watching.built()
	r.BuildTook = time.Since(began)
	r.Took = r.BuildTook
	if p.Test == "" || r.Stopped != "" {
		return r, nil
	}
	// The tests run even if the build fails: they may show more, and of other parts.
	err = j.runTests(ctx, &r)
	r.Took = time.Since(began)
	return r, err
}

// runTests runs the tests and stores their result in r. If they run but cannot be counted, the added flags
// of the command may be the cause: then the project's own command runs once, and its result is used if it
// can be counted. If Test equals Written, it runs without changes.
func (t *treeRun) runTests(ctx context.Context, r *result.Result) error {
	if p := r.Project; p.Written != "" && p.Written == p.Test {
		return t.runTestLine(ctx, r, p.Test)
	}
	if t.first != nil {
		if done, err := t.runFirst(ctx, r); done || err != nil {
			return err
		}
	}
	p := t.countable(r.Project)
	again := *r
	again.Project = r.Project.AsWritten()
	if p.Written != "" && t.checker.countsWithoutFlags(p.Test) {
		*r = again
		return t.runTestLine(ctx, r, p.Written)
	}
	err := t.runTestLine(ctx, r, p.Test)
	if err != nil || p.Written == "" || r.Counted || r.Stopped != "" || r.Missing.Tests != "" {
		return err
	}
	if err := t.runTestLine(ctx, &again, p.Written); err != nil || !again.Counted {
		return err
	}
	*r = again
	t.checker.noteUncountable(p.Test)
	return nil
}

// runFirst runs the near tests, and then the others if there is a separate command for them. If there is
// none, or the near tests gave no usable result, it returns false: all tests have to run, and r has no
// counts yet.
func (t *treeRun) runFirst(ctx context.Context, r *result.Result) (done bool, err error) {
	near, err := t.runNear(ctx, *r)
	if err != nil {
		return false, err
	}
	r.Printed = near.Printed
	near.First = near.Sum()
	near.Reach = t.first.Reach
	if near.TestsRan && t.first.Enough(near) {
		near.Stopped = result.StoppedNear
		*r = near
		return true, nil
	}
	if near.Stopped != "" {
		*r = near
		return true, nil
	}
	if t.first.Rest == "" || !near.Counted || near.Missing.Tests != "" {
		if near.Counted && near.Missing.Tests == "" {
			r.First = near.First
			r.Reach = near.Reach
		}
		return false, nil
	}
	rest := *r
	t.watching.goOnFrom(near.Sum())
	defer t.watching.goOnFrom(0)
	if err := t.runTestLine(ctx, &rest, countableCommand(t.first.Rest)); err != nil {
		return false, err
	}
	if rest.Printed == near.Printed && rest.ExitCode == 0 { // there were no other tests
		*r = near
		return true, nil
	}
	*r = joinTests(near, rest)
	return true, nil
}

// runNear runs the near tests, or takes their result from the journal if the run was interrupted after them.
func (t *treeRun) runNear(ctx context.Context, built result.Result) (result.Result, error) {
	line := countableCommand(t.first.Near)
	kept := t.kept.part(line)
	if near, ok := kept.take(); ok {
		near.BuildRan = built.BuildRan
		near.BuildOK = built.BuildOK
		near.BuildOutput = built.BuildOutput
		return near, nil
	}
	near := built
	err := t.runTestLine(ctx, &near, line)
	if err == nil {
		kept.keep(ctx, near)
	}
	return near, err
}

// joinTests joins the results of two runs of different tests.
func joinTests(near, rest result.Result) result.Result {
	both := rest
	both.First = near.First
	both.Reach = near.Reach
	both.Counts.Add(near.Counts)
	both.Stated += near.Stated
	both.Tests = append(slices.Clone(near.Tests), rest.Tests...)
	both.Output = result.KeepEnds(strings.TrimSuffix(near.Output, "\n")+"\n"+rest.Output, result.MaxText)
	both.ExitCode = cmp.Or(near.ExitCode, rest.ExitCode)
	both.TestsOK = near.TestsOK && rest.TestsOK
	return both
}

// runTestLine runs one test command and stores its result in r.
func (t *treeRun) runTestLine(ctx context.Context, r *result.Result, line string) error {
	work, remove, err := t.cache.WorkFolder()
	if err != nil {
		return err
	}
	defer remove()
	report, err := t.reportFolder(work)
	if err != nil {
		return err
	}
	o, one, err := t.runSparing(ctx, line, report)
	if err != nil {
		return err
	}
	r.TestsRan = true
	r.OneWorker = r.OneWorker || one
	r.Used.Add(o.used)
	r.ExitCode = o.code
	r.Stopped = o.stopped
	r.Printed += o.printed
	takeTests(r, o, readReports(report))
	r.Services = o.services
	r.Output = result.KeepEnds(o.withServices(r.Output), result.MaxText)
	markLacking(r, o)
	markAbsent(r, t.cache.absentPaths())
	return nil
}

// countable returns the project with a test command that names each test. Written holds the command to run
// if the result of that one cannot be counted.
func (t *treeRun) countable(p project.Project) project.Project {
	p.Test = countableCommand(p.Test)
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return p // the run itself says what is wrong with the folder
	}
	defer root.Close()
	if naming := project.NamingUnittests(disk.PlainFS(root), p.Test); naming != p.Test {
		p.Test, p.Written = naming, cmp.Or(p.Written, p.Test)
	}
	return p
}

// namesEach matches a command that already names each test; -vet is another flag than -v.
var namesEach = regexp.MustCompile(`-json| -v(?:[ =]|$)`)

var goTestLine = regexp.MustCompile(`\bgo test\b`)

// pytestCall matches a call of pytest, also through python -m or a program that runs the rest of its line.
var pytestCall = regexp.MustCompile(
	`(?:^|[;&|(]|\srun|\s-m|\b\w+=\S*)\s*(?:[\w./-]+/)?(?:pytest|py\.test)(?:[ ;)]|$)`)

// countableCommand returns the test command with -json added to go test, which otherwise names only the
// tests that fail, and with a report of its own for each call of pytest after the first, which would
// overwrite that of the call before. Other commands are unchanged.
func countableCommand(line string) string {
	if !namesEach.MatchString(line) {
		line = goTestLine.ReplaceAllString(line, "go test -json")
	}
	calls := 0
	return pytestCall.ReplaceAllStringFunc(line, func(call string) string {
		if calls++; calls == 1 {
			return call
		}
		end := strings.LastIndex(call, "test") + len("test")
		return fmt.Sprintf("%s --junitxml=$REPORT_DIR/pytest-%d.xml%s", call[:end], calls, call[end:])
	})
}

// takeTests reads the tests from the output and from the report files, and uses what tells of more tests.
func takeTests(r *result.Result, o outcome, written []string) {
	read, ok := readOutput(o)
	r.Output = read.Text
	if !ok || r.Output == "" {
		r.Output = result.KeepEnds(result.StripTerminal(o.text), result.MaxText)
	}
	stated := 0
	if ok {
		stated = read.Stated
	}
	if reports, reported := readAll(written); reported && (!ok || !tellsOfMore(read, reports)) {
		stated = max(reports.Stated, stated-read.Failed)
		read = reports
		ok = true
	}
	r.Counted = ok && !read.Uncounted
	r.Tests = read.Tests
	r.Counts = read.Counts
	r.Stated = stated
	r.Unfinished = read.Unfinished
	// pytest and unittest use this code for "no tests"
	noTests := o.code == 5 && r.Counted && len(r.Tests) == 0
	r.TestsOK = (o.code == 0 || noTests) && r.Failed == 0 && o.stopped == ""
	if !r.TestsOK && !slices.ContainsFunc(r.Tests, func(t result.Test) bool { return t.Broken == "" }) {
		r.Missing.Tests = o.missing()
	}
}

// readOutput reads the tests from what a command printed.
func readOutput(o outcome) (runners.Reading, bool) {
	if o.stopped != "" {
		return runners.ReadCut(o.text)
	}
	return runners.Read(o.text)
}

// readAll joins the tests of all report files. It returns false if none can be read.
func readAll(written []string) (all runners.Reading, readable bool) {
	for _, text := range written {
		file, ok := runners.Read(text)
		if !ok {
			continue
		}
		readable = true
		all.Tests = append(all.Tests, file.Tests...)
		all.Add(file.Counts)
		all.Stated += file.Stated
		all.Uncounted = all.Uncounted || file.Uncounted
	}
	return all, readable
}

// tellsOfMore reports whether the output tells of more tests than the report files. Then a later report has
// overwritten an earlier one, or a test has started a runner of its own, which wrote into the same folder.
// Failures do not count: a summary may count a test twice that fails in its tear-down, too.
func tellsOfMore(output, reports runners.Reading) bool {
	return output.Sum()-output.Failed > reports.Sum() || len(output.Tests) > len(reports.Tests)
}

// preamble runs before every test command. It joins both output streams, so that the lines of a runner and
// of a compiler keep their order, and asks by environment variables for report files from the runners that
// can write them.
const preamble = `exec 2>&1
if [ -n "$REPORT_DIR" ]; then
	export PYTEST_ADDOPTS="--junitxml=$REPORT_DIR/pytest.xml -o cache_dir=/tmp/.pytest_cache $PYTEST_ADDOPTS"
	export JEST_JUNIT_OUTPUT_DIR="$REPORT_DIR" MOCHA_FILE="$REPORT_DIR/mocha.xml"
fi
eval "$1"
`

// lowestPriority comes before preamble for a Checker of AtLowestPriority.
const lowestPriority = "renice -n 19 -p $$ >/dev/null 2>&1\n"

// runCommand runs one command line in the sandbox. A command that fails is no error.
func (t *treeRun) runCommand(ctx context.Context, line, report string) (outcome, error) {
	script := useCCache + preamble
	if t.checker.idle {
		script = lowestPriority + script
	}
	cmd := t.cache.Sandbox().ShellCommand(ctx, t.dir, script, line)
	cmd.KillOne = true
	if t.writable {
		cmd.Mounts, cmd.Env = t.cache.WritableMounts(t.dir)
	} else {
		if err := t.makeScratch(); err != nil {
			return outcome{}, err
		}
		if !runsNothingOfTheTree(strings.TrimPrefix(line, oneWorker)) {
			defer t.removeScratch()
		}
		var err error
		if cmd.Mounts, cmd.Env, err = t.cache.ScratchMounts(t.dir,
			filepath.Join(t.scratch, "build-cache")); err != nil {
			return outcome{}, err
		}
	}
	if report != "" {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: report, Inside: insideReport, Writable: true})
		cmd.Env = append(cmd.Env, "REPORT_DIR="+insideReport)
	}
	services := t.cache.WithEnvironment(cmd, !runsNothingOfTheTree(line))
	out := capture{half: captureHalf}
	cmd.Stdout = &out
	cmd.Stderr = &out
	t.watching.follow(&out)
	cmd.Limits = t.checker.limits()
	err := cmd.Run(ctx)
	o := outcome{
		printed: out.printed(),
		used: result.Used{
			Memory:    cmd.Used.Memory,
			Processes: cmd.Used.Processes,
			Killed:    cmd.Used.Killed,
		},
	}
	var exit *sandbox.ExitError
	if errors.As(err, &exit) {
		o.code = exit.Code
		o.stopped = exit.Reason
	} else if err != nil {
		return outcome{}, fmt.Errorf("test run: run %q: %w", line, err)
	}
	whole := out.String()
	printed, said := services.Cut(whole)
	o.text = printed
	o.services = said.Notes
	o.serviceLog = said.Log
	o.used.Services = said.Took
	o.printed = out.printed() - int64(len(whole)-len(o.text))
	t.checker.writeLog(line, o.withServices(o.text))
	return o, nil
}

// onlyCompiles matches a command line of go build or go vet without flags.
var onlyCompiles = regexp.MustCompile(`^go (?:build|vet)(?: \.[\w./-]*)*$`)

// runsNothingOfTheTree reports whether a command line compiles the tree and runs no program of it. The next
// command then uses what this one compiled. After any other command the build cache is removed: the tests
// could have written results of other tests into it.
func runsNothingOfTheTree(line string) bool { return onlyCompiles.MatchString(line) }

// makeScratch makes a folder for a build cache that commands may write, unless there is one.
func (t *treeRun) makeScratch() (err error) {
	if t.scratch == "" {
		t.scratch, t.unmake, err = t.cache.WorkFolder()
	}
	return err
}

// removeScratch removes the folder of makeScratch, if there is one.
func (t *treeRun) removeScratch() {
	if t.scratch != "" {
		t.unmake()
		t.scratch = ""
	}
}

// readReports returns the texts of the XML files that a test run left in dir. The tests control that
// folder, so only plain files smaller than maxReport are read, and at most 20.
func readReports(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), ".")
	var out []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".xml") || len(out) == 20 {
			continue
		}
		f, err := disk.PlainFS(root).Open(e.Name())
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(f, maxReport))
		f.Close()
		if err == nil && len(text) < maxReport {
			out = append(out, string(text))
		}
	}
	return out
}
