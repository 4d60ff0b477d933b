package git

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commit writes a commit to the workspace's own objects and returns its hash. An empty spec.Tree means
// the current files, an empty spec.Parent the base. It moves no branch.
func (w *Workspace) Commit(ctx context.Context, spec CommitSpec) (string, error) {
	if spec.Tree == "" {
		tree, err := w.Tree(ctx)
		if err != nil {
			return "", err
		}
		spec.Tree = tree
	}
	if spec.Parent == "" {
		spec.Parent = w.Base()
	}
	return spec.Write(w.Store, Identity{Name: "Bobbin", Email: "bobbin@localhost"})
}

// HasCommit reports whether the workspace's own objects or the mirror hold a commit, named by its whole
// hash.
func (w *Workspace) HasCommit(commit string) bool {
	_, err := w.Store.Commit(plumbing.NewHash(commit))
	return plumbing.IsHash(commit) && err == nil
}
