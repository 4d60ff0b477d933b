package repo

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/commits"
)

// Commit writes a commit to the session's own storage. It moves no branch.
func (w *Workspace) Commit(ctx context.Context, spec commits.Spec) (string, error) {
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
	return spec.Write(w.Store, w.mirror.identity)
}

// HasCommit tells whether a commit (its whole hash) is here, the session's own or the mirror's.
func (w *Workspace) HasCommit(commit string) bool {
	_, err := w.Store.Commit(plumbing.NewHash(commit))
	return plumbing.IsHash(commit) && err == nil
}
