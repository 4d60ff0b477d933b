package proof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// builtApart are the kinds of project whose build leaves nothing among the files that makes the next build
// much faster: it has a cache elsewhere, or there is little to build. Compilers of all other kinds leave what
// they made beside the sources.
var builtApart = []string{"go", "python", "node", "ruby", "php", "perl", "shell", "elixir", "deno"}

// BuiltApart reports whether a project of that kind is built as fast in a fresh tree as where it was built
// before.
func BuiltApart(kind string) bool { return slices.Contains(builtApart, kind) }

// A Checked is the result of a check, and what it is compared with.
type Checked struct {
	result.Result
	Base     result.Result // on the base; the zero value if that is not known
	BaseName string        // the name of the base for people, such as main
	// Coverage is what the tests that ran reach of the change.
	Coverage Coverage
	// Instead is the repository's own test command, if another one was run since it reaches nothing of the
	// changed code.
	Instead string
}

// CheckWith is Check with the first of the commands that ProveWith would run: where the repository's own
// tests reach nothing of the changed code, those of another command that do. If named is set, Project runs in
// any case.
func CheckWith(
	ctx context.Context, c *build.Checker, w *git.Workspace, commands Commands, named bool,
) (checked Checked, err error) {
	changes, err := w.Changes(ctx)
	if err != nil && !errors.As(err, new(*git.PathError)) { // done reports what cannot be committed
		return checked, err
	}
	p := commands.Project
	checked.BaseName = c.BaseName()
	if own := commands.Coverage(p, changedPaths(changes)); !named && own.Reached == 0 && len(own.By) > 0 {
		checked.Instead = p.TestCommand()
		p = own.By[0]
		// The proof compares with it, too.
		if checked.Base, err = c.LogTo(nil).Baseline(ctx, w.Base(), p); err != nil {
			return checked, err
		}
	}
	checked.Coverage = commands.Coverage(p, changedPaths(changes))
	if checked.Result, err = Check(ctx, c, w, p); err != nil {
		return checked, err
	}
	checked.Base, _ = c.Remembered(w.Base(), p)
	return checked, nil
}

func changedPaths(changes []diff.Change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// builtMarks are the files by which a folder is known that CMake, Meson or Cargo made for what they build.
var builtMarks = []string{"CMakeCache.txt", "meson-private/coredata.dat", ".rustc_info.json"}

// hideBuilt makes git ignore the folders at the top of the workspace that a build made for its outputs, so
// that they stay for the next build and are no part of the change. Folders that the base has stay as they
// are.
func hideBuilt(commits git.Commits, w *git.Workspace) error {
	base, err := commits.Files(w.Base())
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := e.Name()
		marked := slices.ContainsFunc(builtMarks, func(mark string) bool {
			info, err := w.Root().Lstat(path.Join(dir, mark))
			return err == nil && info.Mode().IsRegular()
		})
		_, known := fs.Stat(base, dir)
		_, ignores := w.Root().Lstat(path.Join(dir, ".gitignore"))
		if e.IsDir() && marked && known != nil && errors.Is(ignores, fs.ErrNotExist) {
			if err := w.Root().WriteFile(path.Join(dir, ".gitignore"), []byte("*\n"), 0o644); err != nil {
				return fmt.Errorf("hide what a build made in %s: %w", dir, err)
			}
		}
	}
	return nil
}

// Check builds and tests the current files of the workspace. For a kind in builtApart it runs in a fresh
// tree, as a proof does, so a proof of exactly this tree can reuse the result. For other kinds it runs in
// the workspace's own files, where a build continues from the last one.
//
// Tests that a limit stops on the base are left out, and if the base's whole suite does not end, only the
// tests of the change's own test files are run.
//
// In a fresh tree the tests near the change run first. If one of them fails that does not fail on the base,
// the others are not run (result.StoppedNear). But if the previous check of the same tree ended that way,
// all tests are run.
func Check(
	ctx context.Context, c *build.Checker, w *git.Workspace, p project.Project,
) (result.Result, error) {
	if c.Cache == nil || c.Cache.Mirror() == nil {
		return c.Run(ctx, w.Files(), p)
	}
	base, known := c.Remembered(w.Base(), p)
	c = c.Named("tests on the branch", base)
	if !BuiltApart(p.Kind) {
		r, err := c.Run(ctx, w.Files(), p)
		return r, errors.Join(err, hideBuilt(c.Cache.Mirror().Commits(), w))
	}
	tree, err := w.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) { // what cannot be committed cannot be proven either; done reports it
		return c.Run(ctx, w.Files(), p)
	}
	if err != nil {
		return result.Result{}, err
	}
	changes, err := w.Changes(ctx)
	if err != nil {
		return result.Result{}, err
	}
	var first build.First
	switch {
	case known && len(base.LeftOut) > 0:
		p = base.Project
	case known && base.Stopped != "": // the whole suite would be stopped as well
		if alone, ok := p.Only(selectTests(p.Kind, changes).testFiles(), nil); ok {
			p = alone
		}
	}
	if known && base.Stopped == "" && !c.EndedNear(w.Base(), tree, p) {
		first.Parts, _ = nearestFirst(p, base, readsImports, w.FS(), changedPaths(changes))
		first.Enough = func(near result.Result) bool { return near.FailsNear(base) }
	}
	r, err := c.RunTreeNearFirst(ctx, w.Base(),
		func(onto *os.Root) error { return LayChanges(changes, w.Root(), onto) }, p, first)
	if err != nil {
		return r, err
	}
	if after, err := w.Tree(ctx); err == nil && after == tree {
		c.NoteTree(w.Base(), tree, r)
	}
	return r, nil
}
