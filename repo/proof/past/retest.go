package past

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// A Probe is what runs on a commit: tests, or else a command.
type Probe struct {
	Project project.Project // the project at the commit where the probe was made

	Commit string   `json:",omitempty"` // a commit of the mirror that has the tests
	Files  []File   `json:",omitempty"` // the files that hold the tests
	Names  []string `json:",omitempty"` // the labels of the tests in the proof

	Command string `json:",omitempty"`
	Code    int    `json:",omitempty"` // the exit code of the command where it showed the bug
	Printed string `json:",omitempty"` // what the command printed at the commit where the probe was made
	Learned bool   `json:",omitempty"` // Printed is set; see Learn
	// Passes means that the command passes where the probe was made: where it fails, in whatever way, it is
	// red.
	Passes bool `json:",omitempty"`
}

// A File is a file with tests of a change.
type File struct {
	Path   string
	Inline bool `json:",omitempty"` // a source file that also holds tests
	Gone   bool `json:",omitempty"`
}

// A Verdict is the answer for a commit.
type Verdict struct {
	Answer Answer
	Why    string // the reason of Unclear: "does not build"

	printed string
}

// unclearVerdict returns the verdict for a commit that is neither red nor green.
func unclearVerdict(format string, args ...any) Verdict {
	return Verdict{Answer: Unclear, Why: fmt.Sprintf(format, args...)}
}

var verdicts = map[bool]Verdict{true: {Answer: Red}, false: {Answer: Green}}

// maxFiles is the most test files that a change may have.
const maxFiles = 200

// Tests makes a probe of the new and fixed tests of a proven change; commit has the change. It returns
// false if no test was shown to fail on the base, or the change has no test files or more than maxFiles.
func Tests(p project.Project, commit string, changes []diff.Change, shown proof.Proof) (Probe, bool) {
	probe := Probe{Project: p, Commit: commit}
	for _, name := range slices.Concat(shown.RedOnBase, shown.Fixed) {
		// Of tests that share a name some may fail with the change as well: such a name is red everywhere.
		if !slices.Contains(probe.Names, name) && statusOf(shown.Branch, name) != result.Failed {
			probe.Names = append(probe.Names, name)
		}
	}
	for _, c := range changes {
		switch {
		case strings.Contains(c.Mode, "symlink") || strings.Contains(c.Mode, "submodule") ||
			strings.HasPrefix(c.Mode, "too large"):
		case project.IsTest(p.Kind, c.Path):
			probe.Files = append(probe.Files, File{Path: c.Path, Gone: c.Kind == "deleted"})
		case project.HasTests(p.Kind, c.Path) && c.Kind == "modified":
			probe.Files = append(probe.Files, File{Path: c.Path, Inline: true})
		}
	}
	found := len(probe.Names) > 0 && len(probe.Files) > 0 && len(probe.Files) <= maxFiles
	return probe, shown.Demonstrated && found
}

// Learn runs the probe on the commit where it was made, and returns the verdict on that commit. If it is
// red, the returned probe holds the output of its command, so that only a failure with the same output is
// red on other commits.
func (p Probe) Learn(
	ctx context.Context, c *build.Checker, commit string, how packages.Config,
) (Probe, Verdict, error) {
	v, err := p.Ask(ctx, c, commit, how)
	if err == nil && v.Answer == Red {
		p.Printed = v.printed
		p.Learned = true
	}
	return p, v, err
}

// Ask runs the probe on a commit. c must be a Checker of the repository for this call alone, because Ask
// gives it the packages of the commit.
func (p Probe) Ask(
	ctx context.Context, c *build.Checker, commit string, how packages.Config,
) (Verdict, error) {
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
	var hostile *git.PathError
	switch {
	case ctx.Err() != nil:
		return Verdict{}, ctx.Err()
	case clash != nil:
		return unclearVerdict("its files leave no room for the tests"), nil
	case errors.As(err, &hostile):
		return unclearVerdict("its files cannot be written here"), nil
	case err != nil:
		return Verdict{}, err
	case p.Command != "":
		return p.judgeCommand(r), nil
	}
	return p.judgeTests(r), nil
}

// lay writes the probe's test files over the files of a commit.
func (p Probe) lay(c *build.Checker, onto *os.Root) error {
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
				return fmt.Errorf("past: %s is no plain file", f.Path)
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
		if err := errors.Join(onto.MkdirAll(path.Dir(f.Path), 0o755),
			onto.WriteFile(f.Path, text, perm)); err != nil {
			return err
		}
	}
	return nil
}

// goTest matches the names of Go tests that can be selected by name.
var goTest = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*$`)

// stopsEarly matches the flags that make a runner stop at the first failure, which may be that of another
// test.
var stopsEarly = regexp.MustCompile(` (?:-failfast|--bail(?:=1)?|-x)( |$)`)

// narrowed returns the project with commands that run only the probe.
func (p Probe) narrowed() project.Project {
	if p.Command != "" {
		return project.Project{
			Kind:    p.Project.Kind,
			Build:   p.Project.Build,
			Test:    p.Command,
			Written: p.Command,
		}
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

// judgeTests returns red if one of the probe's tests fails, green if each of them passes, and Unclear
// otherwise.
func (p Probe) judgeTests(r result.Result) Verdict {
	switch {
	case r.Stopped != "":
		return unclearVerdict("the run %s", r.StopReason())
	case r.Missing.Build != "":
		return unclearVerdict("%s", r.Missing.Build)
	case r.Missing.Tests != "":
		return unclearVerdict("%s", r.Missing.Tests)
	case r.BuildRan && !r.BuildOK:
		return unclearVerdict("does not build")
	case !r.Counted:
		return unclearVerdict("its tests cannot be counted")
	case !r.EveryTestNamed() && !r.EveryFailureNamed():
		return unclearVerdict("its tests are not named")
	}
	passed := 0
	failed := false
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
			return unclearVerdict("the tests do not build there")
		}
	}
	if failed || passed == len(p.Names) {
		return verdicts[failed]
	}
	return unclearVerdict("the tests do not run there")
}

// statusOf returns the status of the test with that label, or of its cases, or an empty string if it did
// not run.
func statusOf(r result.Result, label string) (status result.Status) {
	for _, t := range r.Tests {
		if t.Broken != "" ||
			label != t.Name && label != t.Of && label != t.Group+" "+t.Name && label != t.Group+" "+t.Of {
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

// judgeCommand returns green if the command ends with 0, red if it ends with the same code as before and
// prints the same except for numbers, and Unclear otherwise.
func (p Probe) judgeCommand(r result.Result) Verdict {
	switch {
	case r.Stopped != "":
		return unclearVerdict("the run %s", r.StopReason())
	case r.BuildRan && !r.BuildOK:
		return unclearVerdict("does not build")
	case r.Missing.Tests != "" && r.ExitCode != 0:
		return unclearVerdict("%s", r.Missing.Tests)
	case r.ExitCode == 0:
		return verdicts[false]
	case p.Passes && !noCommand(r.ExitCode):
		return Verdict{Answer: Red, printed: r.Output}
	case r.ExitCode == p.Code && (!p.Learned || sameWords(r.Output, p.Printed)):
		return Verdict{Answer: Red, printed: r.Output}
	}
	return unclearVerdict("the command fails there in another way")
}

// noCommand reports whether a shell ends with that code because a command is missing or cannot be run.
func noCommand(code int) bool { return code == 126 || code == 127 }

// varying matches what a command may print differently each time: numbers and white space.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?|\s+`)

// sameWords reports whether two outputs are the same but for numbers and white space.
func sameWords(now, then string) bool {
	a := varying.ReplaceAllString(strings.TrimSpace(now), " ")
	b := varying.ReplaceAllString(strings.TrimSpace(then), " ")
	return a == b
}
