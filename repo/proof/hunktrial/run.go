package hunktrial

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// whatFails runs tests without a hunk and returns what fails that does not fail with it. It returns an
// empty string if nothing does, or if there are no such tests to run.
func (x *trialRun) whatFails(ctx context.Context, h Hunk, wide bool) (string, error) {
	without, err := x.without(ctx, h.Numbers)
	if err != nil {
		return "", err
	}
	p, narrow := x.nearTests()
	if wide {
		p, narrow = x.widerTests(without)
	} else if !narrow {
		return "", nil
	}
	if !narrow && time.Until(x.deadline) < x.Proof.Branch.Took {
		return "", errNoTime
	}
	r, err := x.Checker.RunTree(ctx, x.Work.Base(), func(onto *os.Root) error {
		if err := proof.LayChanges(x.changes, x.Work.Root(), onto); err != nil {
			return err
		}
		return layVersions(without, onto)
	}, p)
	if err != nil {
		return "", err
	}
	return x.worse(r, narrow), nil
}

// without returns the versions of the hunks' paths when these hunks are taken out. The tests that a
// source file holds stay in it.
func (x *trialRun) without(ctx context.Context, numbers []int) ([]diff.Version, error) {
	without, err := x.Work.Without(ctx, numbers)
	for i, v := range without {
		if err != nil || v.Gone || !project.HoldsTests(x.Project.Kind, v.Path) {
			continue
		}
		now, err := fs.ReadFile(x.Work.FS(), v.Path)
		if err == nil { // a deleted file has no tests to keep
			without[i].Content = []byte(project.SpliceTests(x.Project.Kind, string(v.Content), string(now)))
		}
	}
	return without, err
}

// layVersions writes the versions of the paths into a tree.
func layVersions(versions []diff.Version, onto *os.Root) error {
	for _, v := range versions {
		if err := onto.RemoveAll(v.Path); err != nil {
			return fmt.Errorf("needed: take a hunk out of %s: %w", v.Path, err)
		}
	}
	for _, v := range versions {
		if v.Gone {
			continue
		}
		perm := fs.FileMode(0o644)
		if v.Executable {
			perm = 0o755
		}
		if err := onto.MkdirAll(path.Dir(v.Path), 0o755); err != nil {
			return fmt.Errorf("needed: take a hunk out of %s: %w", v.Path, err)
		}
		if err := onto.WriteFile(v.Path, v.Content, perm); err != nil {
			return fmt.Errorf("needed: take a hunk out of %s: %w", v.Path, err)
		}
	}
	return nil
}

// goTest matches the name of a Go test that can be selected by its name.
var goTest = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*$`)

// nearTests returns the project narrowed to the new and changed tests. It returns false if there are
// none, or if the command cannot be narrowed to them.
func (x *trialRun) nearTests() (project.Project, bool) {
	var files, names []string
	for _, file := range x.tests {
		if x.Project.Kind != "go" || strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	for _, label := range slices.Concat(x.Proof.RedOnBase, x.Proof.Mended) {
		name, _, _ := strings.Cut(label[strings.LastIndex(label, " ")+1:], "/")
		if !goTest.MatchString(name) {
			return x.Project.Near(files, nil)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return x.Project.Near(files, names)
}

// widerTests returns the project narrowed to the tests of the packages that a Go fix touches. If these
// cannot be told from the files' paths, and for every other language, it returns the whole project and
// false.
func (x *trialRun) widerTests(without []diff.Version) (project.Project, bool) {
	for _, v := range without {
		if !strings.HasSuffix(v.Path, ".go") {
			return x.Project, false
		}
	}
	var files []string
	for _, c := range x.changes {
		if strings.HasSuffix(c.Path, ".go") && x.isPackage(path.Dir(c.Path), without) {
			files = append(files, c.Path)
		}
	}
	p, ok := x.Project.Near(files, nil)
	if ok {
		p.Build = x.Project.Build
		return p, true
	}
	return x.Project, false
}

// isPackage reports whether the folder holds Go sources in the tree with these versions.
func (x *trialRun) isPackage(folder string, versions []diff.Version) bool {
	there := map[string]bool{}
	entries, _ := fs.ReadDir(x.Work.FS(), folder)
	for _, e := range entries {
		there[e.Name()] = true
	}
	for _, v := range versions {
		if path.Dir(v.Path) == folder {
			there[path.Base(v.Path)] = !v.Gone
		}
	}
	for name, is := range there {
		if is && strings.HasSuffix(name, ".go") {
			return true
		}
	}
	return false
}

// worse returns what fails in a run and does not fail on the branch. If the run was narrowed, a failure
// of the test command counts only with the name of a test, since the command may have found no test at
// all.
func (x *trialRun) worse(r result.Result, narrow bool) string {
	with, without := result.CountByName(x.Proof.Branch.Tests), result.CountByName(r.Tests)
	for _, t := range r.Tests {
		name := result.Name{Group: t.Group, Name: t.Name}
		was, is := with[name], without[name]
		switch {
		case slices.Contains(x.Proof.Unstable, t.Name):
		case t.Status == result.Failed && is.Failed <= was.Failed: // no more of this name fail than on the branch
		case t.Status == result.Failed && t.Broken != "":
			return t.Group + " " + t.Broken
		case t.Status == result.Failed:
			return t.Name + " fails"
		case t.Status == result.Skipped && is.Skipped > was.Skipped && is.Passed < was.Passed:
			return t.Name + " is skipped"
		}
	}
	switch {
	case r.BuildRan && !r.BuildOK && x.Proof.Branch.BuildOK:
		return "the build fails"
	case r.Stopped != "":
		return "the run " + r.StopReason()
	case narrow:
	case r.Missing.Tests != "":
		return "the tests do not start"
	case r.TestsRan && !r.TestsOK && x.Proof.Branch.TestsOK:
		return "the tests fail"
	}
	return ""
}
