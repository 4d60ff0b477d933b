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
func (w *Workspace) Merge(
	ctx context.Context, from *Workspace, base, theirs string,
) ([]merge.Conflict, error) {
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

// MergeCommits merges the changes between base and theirs into ours, each a commit named by its whole hash,
// and returns the merged tree. The files stay as they are. Conflicts of texts stand in the tree, between
// markers with the two labels; ask Conflict.ByHand of the others.
func (w *Workspace) MergeCommits(
	ctx context.Context, base, ours, theirs string, labels MergeLabels,
) (tree string, _ []Conflict, _ error) {
	var trees [3]plumbing.Hash
	for i, name := range []string{base, ours, theirs} {
		var err error
		if trees[i], err = gittree.FindTree(w.Store, name); err != nil {
			return "", nil, err
		}
	}
	merged, conflicts, err := merge.Marked(ctx, w.Store, trees[0], trees[1], trees[2], labels)
	if err != nil {
		return "", nil, err
	}
	return merged.String(), conflicts, nil
}

// A MergeOutcome is what the merge of a commit into another one comes to.
type MergeOutcome struct {
	merge.Outcome
	Base string // the nearest common ancestor; empty: there is none
	Done bool   // the commit is merged already
}

// TryMerge tells what a merge of theirs into ours comes to, both commits, without writing anything.
func (cs Commits) TryMerge(ctx context.Context, ours, theirs string) (o MergeOutcome, err error) {
	if o.Base, err = cs.mergeBase(ctx, ours, theirs); err != nil || o.Base == "" {
		return o, err
	}
	if o.Base == theirs {
		o.Done = true
		return o, nil
	}
	o.Outcome, err = cs.tryTrees(ctx, o.Base, ours, theirs)
	return o, err
}

// TryChange tells what it comes to if the change between two commits, base and changed, is brought to a third
// one, onto, without writing anything. Contained means that onto has the change already. base need not be an
// ancestor of onto.
func (cs Commits) TryChange(ctx context.Context, base, changed, onto string) (MergeOutcome, error) {
	o, err := cs.tryTrees(ctx, base, changed, onto)
	return MergeOutcome{Outcome: o, Base: base}, err
}

// tryTrees merges three commits' trees without writing anything.
func (cs Commits) tryTrees(ctx context.Context, base, ours, theirs string) (o merge.Outcome, err error) {
	var trees [3]plumbing.Hash
	for i, name := range []string{base, ours, theirs} {
		c, err := cs.named(name)
		if err != nil {
			return o, err
		}
		trees[i] = c.TreeHash
	}
	return merge.Try(ctx, cs.Store, trees[0], trees[1], trees[2])
}

// ConflictMarkers returns the changed files in which lines begin like conflict markers that neither the base
// nor one of the commits (whole hashes) has, with the numbers of these lines.
func (w *Workspace) ConflictMarkers(ctx context.Context, commits ...string) (map[string][]int, error) {
	deltas, err := w.Deltas(ctx)
	if err != nil {
		return nil, err
	}
	var trees []plumbing.Hash
	for _, name := range commits {
		tree, err := gittree.FindTree(w.Store, name)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	found := map[string][]int{}
	for i := range deltas {
		d := &deltas[i]
		before, after, err := w.ReadSides(ctx, d)
		if err != nil {
			return nil, err
		}
		lines := merge.Markers(after)
		known := len(merge.Markers(before))
		for _, tree := range trees {
			n, err := gittree.FindNode(w.Store, tree, d.Path)
			if err != nil {
				return nil, err
			}
			text, err := gittree.ReadContent(w.Store, n)
			if err != nil {
				return nil, err
			}
			known = max(known, len(merge.Markers(text)))
		}
		if len(lines) > known {
			found[d.Path] = lines
		}
	}
	return found, nil
}

func obstacleConflicts(obstacles []worktree.Obstacle) (out []merge.Conflict) {
	for _, o := range obstacles {
		out = append(out, merge.Conflict{
			Path: o.Path,
			Why: "in the way: " + gittree.QuotePath(o.Found) +
				" is here and in no commit, since a .gitignore names it",
		})
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
