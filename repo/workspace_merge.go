package repo

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/merge"
	"github.com/bobbinhq/bobbin/repo/worktree"
)

// Merge brings what changed between base and theirs, each a tree or a commit by
// its whole hash, into the files: three-way, and line by line for texts. With
// conflicts, as with an error, the files are as they were. from is the
// workspace whose own objects hold the two; nil is this one or the mirror.
//
// The pin of a submodule is not among the files: it follows SetBase.
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

// TreeOf is the tree of a commit, or the tree of that name, if it is here.
func (w *Workspace) TreeOf(name string) (string, error) {
	h, err := gittree.FindTree(w.Store, name)
	if err == nil {
		_, err = gittree.Read(w.Store, h)
	}
	return h.String(), err
}
