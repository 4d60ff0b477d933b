package testrun

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

	"github.com/bobbinhq/bobbin/repo/buildcache"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/runners"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// captureHalf is how much of the beginning and of the end of an output is read.
const captureHalf = 16 << 20

// maxReport is as much of a report file as is read.
const maxReport = 32 << 20

// insideReport is where commands see the folder for reports.
const insideReport = "/report"

// An outcome is how one command line ended.
type outcome struct {
	text    string
	code    int
	stopped string // why the sandbox ended it
	printed int64  // bytes, also those that were left out of text
}

// A treeRun is of one tree.
type treeRun struct {
	checker  *Checker
	cache    *buildcache.Cache
	dir      string
	writable bool // the repository's cache may be written
	first    *First
	built    func() // called once, between the build and the tests; nil: nobody waits for that
}

// A First is what of a project's tests is run before the others; without a command nothing is.
type First struct {
	project.Parts
	// Enough judges what the near tests came to; true: the others are not run.
	Enough func(near result.Result) bool
}

// Run builds and tests the tree in dir as it stands, with the caches read-only. Commands
// write into dir; the caller has handed it over with Sandbox.Own.
func (c *Checker) Run(ctx context.Context, dir string, p project.Project) (result.Result, error) {
	return c.runTreeAt(ctx, treeRun{dir: dir}, p)
}

func (c *Checker) runTreeAt(ctx context.Context, j treeRun, p project.Project) (result.Result, error) {
	r := result.Result{Project: p}
	if !c.HasSandbox() {
		return r, ErrNoSandbox
	}
	j.checker, j.cache = c, c.cacheOrEmpty()
	release, err := j.cache.Hold(ctx)
	if err != nil {
		return r, err
	}
	defer release()
	began := time.Now()
	if p.Build != "" {
		o, err := j.runCommand(ctx, p.Build, "")
		if err != nil {
			return r, err
		}
		r.BuildRan, r.BuildOK, r.Missing.Build = true, o.code == 0, o.missing()
		r.BuildOutput, r.Stopped, r.Printed = result.KeepEnds(result.StripTerminal(o.text), result.MaxText), o.stopped, o.printed
	}
	if j.built != nil {
		j.built()
	}
	r.Took = time.Since(began)
	if p.Test == "" || r.Stopped != "" {
		return r, nil
	}
	// The tests are run where the build fails, too: they may say more, and of other parts.
	err = j.runTests(ctx, &r)
	r.Took = time.Since(began)
	return r, err
}

// runTests runs the tests into r. Where they run and cannot be counted, which what was added to
// their command may have done, they are run as the project has them, once; what counts is kept. A
// command that is its own Written is run as it is.
func (j *treeRun) runTests(ctx context.Context, r *result.Result) error {
	if p := r.Project; p.Written != "" && p.Written == p.Test {
		return j.runTestLine(ctx, r, p.Test)
	}
	if j.first != nil {
		if done, err := j.runFirst(ctx, r); done || err != nil {
			return err
		}
	}
	p, again := j.countable(r.Project), *r
	again.Project = r.Project.AsWritten()
	if p.Written != "" && j.checker.countsWithoutFlags(p.Test) {
		*r = again
		return j.runTestLine(ctx, r, p.Written)
	}
	err := j.runTestLine(ctx, r, p.Test)
	if err != nil || p.Written == "" || r.Counted || r.Stopped != "" || r.Missing.Tests != "" {
		return err
	}
	if err := j.runTestLine(ctx, &again, p.Written); err != nil || !again.Counted {
		return err
	}
	*r = again
	j.checker.learnFlags(p.Test)
	return nil
}

// runFirst runs the near tests, and the others where they are apart. Where they are not, or the
// near ones tell nothing, done is false: all are to be run, and nothing is counted yet.
func (j *treeRun) runFirst(ctx context.Context, r *result.Result) (done bool, err error) {
	near := *r
	if err := j.runTestLine(ctx, &near, countableCommand(j.first.Near)); err != nil {
		return false, err
	}
	r.Printed = near.Printed
	if near.TestsRan && j.first.Enough(near) {
		near.Stopped = result.StoppedNear
		*r = near
		return true, nil
	}
	if near.Stopped != "" {
		*r = near
		return true, nil
	}
	if j.first.Rest == "" || !near.Counted || near.Missing.Tests != "" {
		return false, nil
	}
	rest := *r
	if err := j.runTestLine(ctx, &rest, countableCommand(j.first.Rest)); err != nil {
		return false, err
	}
	if rest.Printed == near.Printed && rest.ExitCode == 0 { // there was none
		*r = near
		return true, nil
	}
	*r = joinTests(near, rest)
	return true, nil
}

// joinTests is the result of two runs of different tests.
func joinTests(near, rest result.Result) result.Result {
	both := rest
	both.Counts.Add(near.Counts)
	both.Tests = append(slices.Clone(near.Tests), rest.Tests...)
	both.Output = result.KeepEnds(strings.TrimSuffix(near.Output, "\n")+"\n"+rest.Output, result.MaxText)
	both.ExitCode = cmp.Or(near.ExitCode, rest.ExitCode)
	both.TestsOK = near.TestsOK && rest.TestsOK
	return both
}

// runTestLine runs one line that tests into r.
func (j *treeRun) runTestLine(ctx context.Context, r *result.Result, line string) error {
	work, remove, err := j.cache.WorkFolder()
	if err != nil {
		return err
	}
	defer remove()
	report := filepath.Join(work, "report")
	if err := errors.Join(os.Mkdir(report, 0o755), j.checker.Caches.Sandbox.Own(report)); err != nil {
		return err
	}
	o, err := j.runCommand(ctx, line, report)
	if err != nil {
		return err
	}
	r.TestsRan, r.ExitCode, r.Stopped = true, o.code, o.stopped
	r.Printed += o.printed
	takeTests(r, o, readReports(report))
	return nil
}

// countable is the project with a test command that names each test, and the one that is run where
// that cannot be counted.
func (j *treeRun) countable(p project.Project) project.Project {
	p.Test = countableCommand(p.Test)
	root, err := os.OpenRoot(j.dir)
	if err != nil {
		return p
	}
	defer root.Close()
	if naming := project.NamingUnittests(root.FS(), p.Test); naming != p.Test {
		p.Test, p.Written = naming, cmp.Or(p.Written, p.Test)
	}
	return p
}

// namesEach is in a command that names each test already; -vet is another flag.
var namesEach = regexp.MustCompile(`-json| -v(?:[ =]|$)`)

var goTestLine = regexp.MustCompile(`\bgo test\b`)

// countableCommand is a test command that names each test: go test by itself names only what
// fails. Everything else stays as it is written.
func countableCommand(line string) string {
	if namesEach.MatchString(line) {
		return line
	}
	return goTestLine.ReplaceAllString(line, "go test -json")
}

// takeTests reads what the tests printed, and prefers the reports that they wrote.
func takeTests(r *result.Result, o outcome, written []string) {
	said, ok := runners.Read(o.text)
	r.Output = said.Text
	if !ok || r.Output == "" {
		r.Output = result.KeepEnds(result.StripTerminal(o.text), result.MaxText)
	}
	for i, text := range written {
		file, readable := runners.Read(text)
		switch {
		case !readable:
		case i == 0 || !ok:
			said, ok = file, true
		default:
			said.Tests = append(said.Tests, file.Tests...)
			said.Add(file.Counts)
		}
	}
	r.Counted = ok && !said.Uncounted
	r.Tests, r.Counts = said.Tests, said.Counts
	noTests := o.code == 5 && r.Counted && len(r.Tests) == 0 // pytest and unittest say so by this code
	r.TestsOK = (o.code == 0 || noTests) && r.Failed == 0 && o.stopped == ""
	if !r.TestsOK && !slices.ContainsFunc(r.Tests, func(t result.Test) bool { return t.Broken == "" }) {
		r.Missing.Tests = o.missing()
	}
}

// preamble stands before every test command: one stream, so that what a runner says and
// what a compiler says stay in their order, and a report beside it from the runners that
// write one when asked by the environment.
const preamble = `exec 2>&1
if [ -n "$REPORT_DIR" ]; then
	export PYTEST_ADDOPTS="--junitxml=$REPORT_DIR/pytest.xml -o cache_dir=/tmp/.pytest_cache $PYTEST_ADDOPTS"
	export JEST_JUNIT_OUTPUT_DIR="$REPORT_DIR" MOCHA_FILE="$REPORT_DIR/mocha.xml"
fi
eval "$1"
`

// runCommand runs one line in the sandbox. A command that fails is no error.
func (j *treeRun) runCommand(ctx context.Context, line, report string) (outcome, error) {
	cmd := j.checker.Caches.Sandbox.Command(j.dir, "sh", "-c", preamble, "sh", line)
	mounts := j.cache.Mounts
	if j.writable {
		mounts = j.cache.WritableMounts
	}
	cmd.Mounts, cmd.Env = mounts(j.dir)
	if report != "" {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: report, Inside: insideReport, Writable: true})
		cmd.Env = append(cmd.Env, "REPORT_DIR="+insideReport)
	}
	out := capture{half: captureHalf}
	cmd.Stdout, cmd.Stderr, cmd.Limits = &out, &out, j.checker.limits()
	err := cmd.Run(ctx)
	var exit *sandbox.ExitError
	switch {
	case err == nil:
		return outcome{text: out.String(), printed: out.printed()}, nil
	case errors.As(err, &exit):
		return outcome{text: out.String(), code: exit.Code, stopped: exit.Reason, printed: out.printed()}, nil
	}
	return outcome{}, fmt.Errorf("test run: run %q: %w", line, err)
}

// readReports are the texts of the XML files that a test run left in dir, which is a
// stranger's: only plain files are read, and of each only so much.
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
