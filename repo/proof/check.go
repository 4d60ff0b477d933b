package proof

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/result"
	"github.com/bobbinhq/bobbin/repo/testrun"
)

// builtApart are the kinds of project that leave nothing among the files which the next build
// is quicker with.
var builtApart = []string{"go", "python", "node"}

// Check builds and tests the workspace as it stands. Where nothing is lost by it that is the run
// of a proof, in a fresh tree, and a proof of exactly this tree need not repeat it; else it is
// done among the workspace's own files, where a build goes on from the last one.
//
// In a fresh tree the tests near the change are run first. Where one of them fails that does not
// fail on the base, the others are not run (result.StoppedNear), unless the tree is that of the
// check before, which ended so.
func Check(ctx context.Context, c *testrun.Checker, w *repo.Workspace, p project.Project) (result.Result, error) {
	if c.Cache == nil || c.Cache.Mirror() == nil || !slices.Contains(builtApart, p.Kind) {
		return c.Run(ctx, w.Files(), p)
	}
	tree, err := w.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) { // what cannot be committed cannot be proven either; done says so
		return c.Run(ctx, w.Files(), p)
	}
	if err != nil {
		return result.Result{}, err
	}
	changes, err := w.Changes(ctx)
	if err != nil {
		return result.Result{}, err
	}
	var first testrun.First
	if base, known := c.Remembered(w.Base(), p); known && !c.EndedNear(w.Base(), tree, p) {
		var paths []string
		for _, ch := range changes {
			paths = append(paths, ch.Path)
		}
		first.Parts, _ = p.NearFirst(w.FS(), paths)
		first.Enough = func(near result.Result) bool { return near.FailsNear(base) }
	}
	r, err := c.RunTreeNearFirst(ctx, w.Base(), func(onto *os.Root) error { return LayChanges(changes, w.Root(), onto) }, p, first)
	if err != nil {
		return r, err
	}
	if after, err := w.Tree(ctx); err == nil && after == tree {
		c.NoteTree(w.Base(), tree, r)
	}
	return r, nil
}
