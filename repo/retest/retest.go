package retest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/bisect"
	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/testrun"
)

// A Probe is what is run on a commit: tests, or else a command.
type Probe struct {
	Project project.Project // of the commit that the probe was made at

	Commit string   `json:",omitempty"` // that has the tests; the mirror has it
	Files  []File   `json:",omitempty"` // that hold them
	Names  []string `json:",omitempty"` // of the tests, as the proof calls them

	Command string `json:",omitempty"`
	Code    int    `json:",omitempty"` // with which the command ended where it showed the bug
	Printed string `json:",omitempty"` // what it printed at the commit that the probe was made at
	Learned bool   `json:",omitempty"` // Printed is known: see Learn
}

// A File is one of a change's tests.
type File struct {
	Path   string
	Inline bool `json:",omitempty"` // a source that holds tests of its own
	Gone   bool `json:",omitempty"`
}

// A Verdict is what a commit is, and why that cannot be told.
type Verdict struct {
	Answer bisect.Answer
	Why    string // of Unclear, in words: "does not build"

	printed string
}

// Unclear is the verdict on a commit of which nothing can be told.
func Unclear(format string, args ...any) Verdict {
	return Verdict{Answer: bisect.Unclear, Why: fmt.Sprintf(format, args...)}
}

var told = map[bool]Verdict{true: {Answer: bisect.Red}, false: {Answer: bisect.Green}}

// mostFiles is how many files a change's tests may have.
const mostFiles = 200

// Tests makes a probe of the new tests of a proven change; false where no test of it was shown to
// fail on the base. commit has the change.
func Tests(p project.Project, commit string, changes []diff.Change, shown proof.Proof) (Probe, bool) {
	probe := Probe{Project: p, Commit: commit, Names: append(append([]string{}, shown.RedOnBase...), shown.Mended...)}
	for _, c := range changes {
		switch {
		case strings.Contains(c.Mode, "symlink") || strings.Contains(c.Mode, "submodule") || strings.HasPrefix(c.Mode, "too large"):
		case project.IsTest(p.Kind, c.Path):
			probe.Files = append(probe.Files, File{Path: c.Path, Gone: c.Kind == "deleted"})
		case project.HoldsTests(p.Kind, c.Path) && c.Kind == "modified":
			probe.Files = append(probe.Files, File{Path: c.Path, Inline: true})
		}
	}
	return probe, shown.Shown && len(probe.Names) > 0 && len(probe.Files) > 0 && len(probe.Files) <= mostFiles
}

// Learn is the probe with what its command prints at the commit that it was made at, so that only
// what fails in the same way is red elsewhere; and what that commit is.
func (p Probe) Learn(ctx context.Context, c *testrun.Checker, commit string, how packages.Config) (Probe, Verdict, error) {
	v, err := p.Ask(ctx, c, commit, how)
	if err == nil && v.Answer == bisect.Red {
		p.Printed, p.Learned = v.printed, true
	}
	return p, v, err
}

// Ask runs the probe on a commit. The checker is the repository's own, of this call alone: it is
// given the packages of the commit.
func (p Probe) Ask(ctx context.Context, c *testrun.Checker, commit string, how packages.Config) (Verdict, error) {
	have, err := c.Cache.FetchPackages(ctx, commit, how, nil)
	if ctx.Err() != nil {
		return Verdict{}, ctx.Err()
	}
	if err == nil {
		defer have.Close()
		c.Cache.UsePackages(have)
	}
	var clash error
	r, err := c.RunTree(ctx, commit, func(onto *os.Root) error {
		if p.Commit != "" {
			clash = p.lay(c, onto)
		}
		return clash
	}, p.narrowed())
	var hostile *gittree.PathError
	switch {
	case ctx.Err() != nil:
		return Verdict{}, ctx.Err()
	case clash != nil:
		return Unclear("its files leave no room for the tests"), nil
	case errors.As(err, &hostile):
		return Unclear("its files cannot be written here"), nil
	case err != nil:
		return Verdict{}, err
	case p.Command != "":
		return p.judgeCommand(r), nil
	}
	return p.judgeTests(r), nil
}

// lay puts the tests over a commit's files.
func (p Probe) lay(c *testrun.Checker, onto *os.Root) error {
	for _, f := range p.Files {
		if f.Gone {
			if err := onto.RemoveAll(f.Path); err != nil {
				return err
			}
			continue
		}
		text, err := c.Cache.Mirror().Commits().ReadFile(p.Commit, f.Path)
		if err != nil {
			return err
		}
		perm := fs.FileMode(0o644)
		if old, err := onto.Lstat(f.Path); err == nil {
			if !old.Mode().IsRegular() {
				return fmt.Errorf("retest: %s is no plain file", f.Path)
			}
			perm = old.Mode().Perm()
			if f.Inline {
				before, err := onto.ReadFile(f.Path)
				if err != nil {
					return err
				}
				text = []byte(project.SpliceTests(p.Project.Kind, string(before), string(text)))
			}
		} else if f.Inline {
			return err
		}
		if err := errors.Join(onto.MkdirAll(path.Dir(f.Path), 0o755), onto.WriteFile(f.Path, text, perm)); err != nil {
			return err
		}
	}
	return nil
}

// goTest is a test of Go that can be chosen by its name.
var goTest = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*$`)

// stopsEarly are the flags by which a runner stops at the first failure, which may be another test's.
var stopsEarly = regexp.MustCompile(` (?:-failfast|--bail(?:=1)?|-x)( |$)`)

// narrowed is the project with nothing to run but the probe.
func (p Probe) narrowed() project.Project {
	if p.Command != "" {
		return project.Project{Kind: p.Project.Kind, Build: p.Project.Build, Test: p.Command, Written: p.Command}
	}
	var files, names []string
	for _, f := range p.Files {
		if !f.Gone && (p.Project.Kind != "go" || strings.HasSuffix(f.Path, "_test.go")) {
			files = append(files, f.Path)
		}
	}
	for _, label := range p.Names {
		name, _, _ := strings.Cut(label[strings.LastIndex(label, " ")+1:], "/")
		if !goTest.MatchString(name) {
			names = nil
			break
		}
		names = append(names, name)
	}
	near, ok := p.Project.Near(files, names)
	if !ok {
		return p.Project
	}
	near.Test = stopsEarly.ReplaceAllString(near.Test, "$1")
	return near
}

// judgeTests says what a run of the tests says of them: red where one of them fails, green where
// each of them passes.
func (p Probe) judgeTests(r result.Result) Verdict {
	switch {
	case r.Stopped != "":
		return Unclear("the run %s", r.StopReason())
	case r.Missing.Build != "":
		return Unclear("%s", r.Missing.Build)
	case r.Missing.Tests != "":
		return Unclear("%s", r.Missing.Tests)
	case r.BuildRan && !r.BuildOK:
		return Unclear("does not build")
	case !r.Counted:
		return Unclear("its tests cannot be counted")
	case !r.EveryTestNamed() && !r.EveryFailureNamed():
		return Unclear("its tests are not named")
	}
	passed, failed := 0, false
	for _, label := range p.Names {
		switch statusOf(r, label) {
		case result.Failed:
			failed = true
		case result.Passed:
			passed++
		}
	}
	for _, t := range r.Tests {
		if t.Status == result.Failed && t.Broken != "" && !failed {
			return Unclear("the tests do not build there")
		}
	}
	if failed || passed == len(p.Names) {
		return told[failed]
	}
	return Unclear("the tests do not run there")
}

// statusOf is how the test of that label ended, or its cases; empty where it did not run.
func statusOf(r result.Result, label string) (status result.Status) {
	for _, t := range r.Tests {
		if t.Broken != "" || label != t.Name && label != t.Of && label != t.Group+" "+t.Name && label != t.Group+" "+t.Of {
			continue
		}
		if t.Status == result.Failed {
			return result.Failed
		}
		if status != result.Skipped {
			status = t.Status
		}
	}
	return status
}

// judgeCommand says what a run of the command says: red where it ends as it did and prints the
// same, but for numbers, green where it ends with 0.
func (p Probe) judgeCommand(r result.Result) Verdict {
	switch {
	case r.Stopped != "":
		return Unclear("the run %s", r.StopReason())
	case r.BuildRan && !r.BuildOK:
		return Unclear("does not build")
	case r.Missing.Tests != "" && r.ExitCode != 0:
		return Unclear("%s", r.Missing.Tests)
	case r.ExitCode == 0:
		return told[false]
	case r.ExitCode == p.Code && (!p.Learned || sameWords(r.Output, p.Printed)):
		return Verdict{Answer: bisect.Red, printed: r.Output}
	}
	return Unclear("the command fails there in another way")
}

// varying is what a command prints otherwise each time: numbers, and how far lines are set apart.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?|\s+`)

// sameWords reports whether two outputs say the same. Of long ones the end counts: that is what was
// kept.
func sameWords(now, then string) bool {
	a, b := varying.ReplaceAllString(strings.TrimSpace(now), " "), varying.ReplaceAllString(strings.TrimSpace(then), " ")
	return a == b
}
