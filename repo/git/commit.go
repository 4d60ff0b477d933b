package git

import (
	"context"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commit writes a commit to the workspace's own objects and returns its hash. An empty spec.Tree means
// the current files, an empty spec.Parent the base. It moves no branch. It is made as the remote's Commits
// say.
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
	how := w.mirror.Remote().Commits
	if how.Host != nil {
		return w.commitAtHost(ctx, spec, how)
	}
	return spec.Write(w.Store, how)
}

// MadeSo reports whether a commit that is here was made as the remote's Commits say now: by that committer,
// with that signature and sign-off.
func (w *Workspace) MadeSo(commit string) bool {
	c, err := w.Store.Commit(plumbing.NewHash(commit))
	if err != nil {
		return false
	}
	how := w.mirror.Remote().Commits
	if how.Host != nil {
		return c.PGPSignature != ""
	}
	signature, err := signCommit(c, how)
	var committer Identity
	committer.Name, committer.Email = how.Committer()
	signedOff := strings.Contains(c.Message, "\n"+SignedOffBy+": "+committer.String())
	return err == nil && c.PGPSignature == signature && signedOff == how.SignOff &&
		c.Committer.Name == cleanIdentity(committer.Name) &&
		c.Committer.Email == cleanIdentity(committer.Email)
}

// HasCommit reports whether the workspace's own objects or the mirror hold a commit, named by its whole
// hash.
func (w *Workspace) HasCommit(commit string) bool {
	_, err := w.Store.Commit(plumbing.NewHash(commit))
	return plumbing.IsHash(commit) && err == nil
}
