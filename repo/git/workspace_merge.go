package git

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/merge"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
)

// Merge brings the changes between base and theirs into the files. Each of the two is a tree or a
// commit, named by its whole hash. The merge is three-way, and line by line for texts. With conflicts
// or an error, the files stay as they were. from is the workspace whose own objects hold base and
// theirs; nil means that w or the mirror holds them.
//
// The pin of a submodule is not one of the files: it changes only with SetBase.
func (w *Workspace) Merge(ctx context.Context, from *Workspace, base, theirs string) ([]merge.Conflict, error) {
	if from != nil && from != w {
		for _, name := range []string{base, theirs} {
			if err := w.AdoptTree(ctx, from, name); err != nil {
				return nil, err
			}
		}
	}
	baseTree, err := gittree.FindTree(w.Store, base)
	if err != nil {
		return nil, err
	}
	theirTree, err := gittree.FindTree(w.Store, theirs)
	if err != nil {
		return nil, err
	}
	here, err := w.Tree(ctx)
	if err != nil {
		return nil, err
	}
	swaps, conflicts, err := merge.Trees(ctx, w.Store, baseTree, plumbing.NewHash(here), theirTree)
	if err != nil || len(conflicts) > 0 {
		return conflicts, err
	}
	obstacles, err := w.FindObstacles(ctx, swaps)
	if err != nil || len(obstacles) > 0 {
		return obstacleConflicts(obstacles), err
	}
	return nil, w.SwapFiles(ctx, swaps)
}

func obstacleConflicts(obstacles []worktree.Obstacle) (out []merge.Conflict) {
	for _, o := range obstacles {
		out = append(out, merge.Conflict{Path: o.Path, Why: "in the way: " + gittree.QuotePath(o.Found) + " is here and in no commit, since a .gitignore names it"})
	}
	return out
}

// TreeOf returns the tree of a commit or tree, named by its whole hash, and fails if the tree is not
// here.
func (w *Workspace) TreeOf(name string) (string, error) {
	h, err := gittree.FindTree(w.Store, name)
	if err == nil {
		_, err = gittree.Read(w.Store, h)
	}
	return h.String(), err
}
