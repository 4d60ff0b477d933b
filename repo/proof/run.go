package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/runners"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// captureHalf is how much of the beginning and of the end of an output is read.
const captureHalf = 16 << 20

// maxReport is as much of a report file as is read.
const maxReport = 32 << 20

// A job is a tree to be built and tested.
type job struct {
	dir      string
	project  project.Project
	mirror   *repo.Mirror // whose caches; nil: none
	writable bool         // the repository's cache may be written
}

// An outcome is how one command line ended.
type outcome struct {
	text    string
	code    int
	stopped string // why the sandbox ended it
	printed int64  // bytes, also those that were left out of text
}

// Run builds and tests the tree in dir as it stands, with the caches read-only. Commands
// write into dir; the caller has handed it over with Sandbox.Own.
func (c *Checker) Run(ctx context.Context, dir string, p project.Project) (result.Result, error) {
	return c.run(ctx, job{dir: dir, project: p, mirror: c.mirror})
}

func (c *Checker) run(ctx context.Context, j job) (result.Result, error) {
	r := result.Result{Project: j.project}
	if c.Sandbox == nil {
		return r, ErrNoSandbox
	}
	done, err := c.using(j.mirror)
	if err != nil {
		return r, err
	}
	defer done()
	began := time.Now()
	if j.project.Build != "" {
		o, err := c.command(ctx, j, j.project.Build, "")
		if err != nil {
			return r, err
		}
		r.BuildRan, r.BuildOK = true, o.code == 0
		r.BuildOutput, r.Stopped, r.Printed = result.Ends(result.Plain(o.text), result.MaxText), o.stopped, o.printed
	}
	r.Took = time.Since(began)
	if j.project.Test == "" || r.Stopped != "" {
		return r, nil
	}
	// The tests are run where the build fails, too: they may say more, and of other parts.
	err = c.test(ctx, j, &r)
	r.Took = time.Since(began)
	return r, err
}

// test runs the tests into r.
func (c *Checker) test(ctx context.Context, j job, r *result.Result) error {
	work, done, err := c.workDir(j.mirror)
	if err != nil {
		return err
	}
	defer done()
	report := filepath.Join(work, "report")
	if err := errors.Join(os.Mkdir(report, 0o755), c.Sandbox.Own(report)); err != nil {
		return err
	}
	o, err := c.command(ctx, j, countable(j.project.Test), report)
	if err != nil {
		return err
	}
	r.TestsRan, r.ExitCode, r.Stopped = true, o.code, o.stopped
	r.Printed += o.printed
	takeTests(r, o, reports(report))
	return nil
}

var goTestLine = regexp.MustCompile(`\bgo test\b`)

// countable is a test command that names each test: go test by itself names only what
// fails. Everything else stays as it is written.
func countable(line string) string {
	if strings.Contains(line, "-json") || strings.Contains(line, " -v") {
		return line
	}
	return goTestLine.ReplaceAllString(line, "go test -json")
}

// takeTests reads what the tests printed, and prefers the reports that they wrote.
func takeTests(r *result.Result, o outcome, written []string) {
	said, ok := runners.Read(o.text)
	r.Output = said.Text
	if !ok || r.Output == "" {
		r.Output = result.Ends(result.Plain(o.text), result.MaxText)
	}
	for i, text := range written {
		file, readable := runners.Read(text)
		switch {
		case !readable:
		case i == 0 || !ok:
			said, ok = file, true
		default:
			said.Tests = append(said.Tests, file.Tests...)
			said.Passed, said.Failed, said.Skipped = said.Passed+file.Passed, said.Failed+file.Failed, said.Skipped+file.Skipped
		}
	}
	r.Counted = ok && !said.Uncounted
	r.Tests, r.Passed, r.Failed, r.Skipped = said.Tests, said.Passed, said.Failed, said.Skipped
	noTests := o.code == 5 && r.Counted && len(r.Tests) == 0 // pytest and unittest say so by this code
	r.TestsOK = (o.code == 0 || noTests) && r.Failed == 0 && o.stopped == ""
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

// command runs one line in the sandbox. A command that fails is no error.
func (c *Checker) command(ctx context.Context, j job, line, report string) (outcome, error) {
	cmd := c.Sandbox.Command(j.dir, "sh", "-c", preamble, "sh", line)
	cmd.Mounts, cmd.Env = c.mounts(j.mirror, j.dir, j.writable)
	if report != "" {
		cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: report, Inside: insideReport, Writable: true})
		cmd.Env = append(cmd.Env, "REPORT_DIR="+insideReport)
	}
	out := capture{half: captureHalf}
	cmd.Stdout, cmd.Stderr, cmd.Limits = &out, &out, c.limits()
	err := cmd.Run(ctx)
	var exit *sandbox.ExitError
	switch {
	case err == nil:
		return outcome{text: out.String(), printed: out.printed()}, nil
	case errors.As(err, &exit):
		return outcome{text: out.String(), code: exit.Code, stopped: exit.Reason, printed: out.printed()}, nil
	}
	return outcome{}, fmt.Errorf("check: run %q: %w", line, err)
}

// reports are the texts of the XML files that a test run left in dir, which is a
// stranger's: only plain files are read, and of each only so much.
func reports(dir string) []string {
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
		f, err := openPlain(root, e.Name())
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
