package hunktrial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// A loss is what fails without a hunk, and not with it. Its zero value says that nothing does.
type loss struct {
	why    string
	builds bool // no test fails: it does not build
}

// whatFails runs tests without a hunk and returns what fails that does not fail with it. It returns no loss
// if nothing does, or if there are no such tests to run.
func (tr *trialRun) whatFails(ctx context.Context, h Hunk, wide bool) (loss, error) {
	without, err := tr.without(ctx, h.Numbers)
	if err != nil {
		return loss{}, err
	}
	checker := tr.Checker.Named(tr.nameOf(h), result.Result{})
	p, narrow := tr.nearTests()
	if wide {
		p, narrow = tr.widerTests(h, without)
	} else if !narrow {
		return loss{}, nil
	}
	if !narrow && time.Until(tr.deadline) < tr.Proof.Branch.Took {
		return loss{}, errNoTime
	}
	r, err := tr.runWithout(ctx, checker, without, p)
	if err != nil {
		return loss{}, err
	}
	return tr.worse(r, narrow), nil
}

// runWithout runs p on the branch with these versions of a hunk's paths. Where a build is long, it goes on
// from that of the branch.
func (tr *trialRun) runWithout(
	ctx context.Context, checker *build.Checker, without []diff.Version, p project.Project,
) (result.Result, error) {
	branch := func(onto *os.Root) error { return proof.LayChanges(tr.changes, tr.Work.Root(), onto) }
	hunk := func(onto *os.Root) error { return layVersions(without, onto) }
	if proof.BuiltApart(tr.Project.Kind) || tr.Project.Build == "" {
		return checker.RunTree(ctx, tr.Work.Base(), func(onto *os.Root) error {
			if err := branch(onto); err != nil {
				return err
			}
			return hunk(onto)
		}, p)
	}
	if tr.built == nil {
		built, err := checker.Prepare(ctx, tr.Work.Base(), branch, tr.Project)
		if err != nil {
			return result.Result{}, err
		}
		tr.built = built
	}
	return tr.built.RunTree(ctx, checker, sumOf(without), hunk, p)
}

// nameOf names the tests without a hunk for people: "tests without hunk 3 of 7 of the fix".
func (tr *trialRun) nameOf(h Hunk) string {
	at := slices.IndexFunc(tr.fix, func(o Hunk) bool { return slices.Equal(o.Numbers, h.Numbers) })
	return fmt.Sprintf("tests without hunk %d of %d of the fix", at+1, len(tr.fix))
}

// sumOf returns a hash of versions.
func sumOf(versions []diff.Version) string {
	sum := sha256.New()
	for _, v := range versions {
		fmt.Fprintf(sum, "%q %v %v %q\n", v.Path, v.Gone, v.Executable, v.Content)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// without returns the versions of the hunks' paths when these hunks are taken out. The tests that a
// source file holds stay in it.
func (tr *trialRun) without(ctx context.Context, numbers []int) ([]diff.Version, error) {
	without, err := tr.Work.Without(ctx, numbers)
	for i, v := range without {
		if err != nil || v.Gone || !project.HasTests(tr.Project.Kind, v.Path) {
			continue
		}
		now, err := fs.ReadFile(tr.Work.FS(), v.Path)
		if err == nil { // a deleted file has no tests to keep
			without[i].Content = []byte(project.SpliceTests(tr.Project.Kind, string(v.Content), string(now)))
		}
	}
	return without, err
}

// layVersions writes the versions of the paths into a tree.
func layVersions(versions []diff.Version, onto *os.Root) error {
	for _, v := range versions {
		if err := onto.RemoveAll(v.Path); err != nil {
			return fmt.Errorf("hunktrial: take a hunk out of %s: %w", v.Path, err)
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
			return fmt.Errorf("hunktrial: take a hunk out of %s: %w", v.Path, err)
		}
		if err := onto.WriteFile(v.Path, v.Content, perm); err != nil {
			return fmt.Errorf("hunktrial: take a hunk out of %s: %w", v.Path, err)
		}
	}
	return nil
}

// goTest matches the name of a Go test that can be selected by its name.
var goTest = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*$`)

// nearTests returns the project narrowed to the new and changed tests. It returns false if there are
// none, or if the command cannot be narrowed to them.
func (tr *trialRun) nearTests() (project.Project, bool) {
	var files, names []string
	for _, file := range tr.tests {
		if tr.Project.Kind != "go" || strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	for _, label := range slices.Concat(tr.Proof.RedOnBase, tr.Proof.Fixed) {
		name, _, _ := strings.Cut(label[strings.LastIndex(label, " ")+1:], "/")
		if !goTest.MatchString(name) {
			return tr.Project.Near(files, nil)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return tr.Project.Near(files, names)
}

// widerTests returns the project narrowed to the tests of the packages that a Go fix touches. If these
// cannot be told from the files' paths, and for every other language, it returns the whole project and
// false; if that takes too long for all hunks that are left, it returns those that the hunk's file can
// reach.
func (tr *trialRun) widerTests(h Hunk, without []diff.Version) (project.Project, bool) {
	for _, v := range without {
		if !strings.HasSuffix(v.Path, ".go") {
			return tr.wholeOrReached(h)
		}
	}
	var files []string
	for _, c := range tr.changes {
		if strings.HasSuffix(c.Path, ".go") && tr.isPackage(path.Dir(c.Path), without) {
			files = append(files, c.Path)
		}
	}
	p, ok := tr.Project.Near(files, nil)
	if ok {
		p.Build = tr.Project.Build
		return p, true
	}
	return tr.wholeOrReached(h)
}

// wholeOrReached returns the whole project if there is time to run it for each hunk that is left, or the
// tests that the hunk's file can reach are not known. Otherwise it returns these, and true.
func (tr *trialRun) wholeOrReached(h Hunk) (project.Project, bool) {
	left := 0
	for _, other := range tr.fix {
		if other.Verdict == Untried {
			left++
		}
	}
	if time.Until(tr.deadline) >= time.Duration(left)*tr.Proof.Branch.Took {
		return tr.Project, false
	}
	parts, ok := tr.Project.ReachFirst(tr.Work.FS(), []string{h.Path})
	if !ok || !parts.Reach {
		return tr.Project, false
	}
	p := tr.Project
	p.Test = parts.Near
	p.Written = ""
	return p, true
}

// isPackage reports whether the folder holds Go sources in the tree with these versions.
func (tr *trialRun) isPackage(folder string, versions []diff.Version) bool {
	there := map[string]bool{}
	entries, _ := fs.ReadDir(tr.Work.FS(), folder)
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
func (tr *trialRun) worse(r result.Result, narrow bool) loss {
	if tr.Proof.Miscounted != "" {
		r = r.WithoutCounts()
	}
	var broken loss // a test that fails says more than code that does not compile
	with := result.CountByName(tr.Proof.Branch.Tests)
	without := result.CountByName(r.Tests)
	for _, t := range r.Tests {
		name := result.Name{Group: t.Group, Name: t.Name}
		was := with[name]
		is := without[name]
		switch {
		case slices.Contains(tr.Proof.Unstable, t.Name):
		case t.Status == result.Failed && is.Failed <= was.Failed:
			// no more of this name fail than on the branch
		case t.Status == result.Failed && t.Broken != "":
			if broken.why == "" {
				broken = loss{t.Group + " " + t.Broken, t.Broken == result.DoesNotCompile}
			}
		case t.Status == result.Failed:
			return loss{why: t.Name + " fails"}
		case t.Status == result.Skipped && is.Skipped > was.Skipped && is.Passed < was.Passed:
			return loss{why: t.Name + " is skipped"}
		}
	}
	switch {
	case broken.why != "":
		return broken
	case r.BuildRan && !r.BuildOK && tr.Proof.Branch.BuildOK:
		return loss{"the build fails", true}
	case r.Stopped != "":
		return loss{why: "the run " + r.StopReason()}
	case narrow:
	case r.Missing.Tests != "":
		return loss{why: "the tests do not start"}
	case r.TestsRan && !r.TestsOK && tr.Proof.Branch.TestsOK:
		return loss{why: "the tests fail"}
	}
	return loss{}
}
