package proof

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
)

// builtApart are the kinds of project whose build leaves nothing among the files that makes the next build
// faster.
var builtApart = []string{"go", "python", "node"}

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
	if c.Cache == nil || c.Cache.Mirror() == nil || !slices.Contains(builtApart, p.Kind) {
		return c.Run(ctx, w.Files(), p)
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
	base, known := c.Remembered(w.Base(), p)
	switch {
	case known && len(base.LeftOut) > 0:
		p = base.Project
	case known && base.Stopped != "": // the whole suite would be stopped as well
		if alone, ok := p.Only(selectTests(p.Kind, changes).testFiles(), nil); ok {
			p = alone
		}
	}
	if known && base.Stopped == "" && !c.EndedNear(w.Base(), tree, p) {
		var paths []string
		for _, ch := range changes {
			paths = append(paths, ch.Path)
		}
		first.Parts, _ = p.NearFirst(w.FS(), paths)
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
