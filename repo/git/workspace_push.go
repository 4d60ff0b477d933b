package git

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
)

// Push brings a commit to a branch of the remote: it creates the branch or moves it forward, and never
// anything else. If the branch is already at the commit, Push succeeds. If the answer is lost, Push
// asks the remote for the commit of the branch, and that decides. If the remote names a fork, Push brings the
// commit there, with what the fork lacks of the repository, unless the fork shares no commit with it.
func (w *Workspace) Push(ctx context.Context, p transfer.PushSpec) (transfer.PushResult, error) {
	if err := p.Check(w.mirror.currentRefs().Head); err != nil {
		return transfer.PushResult{}, err
	}
	c, err := w.Store.Commit(plumbing.NewHash(p.Commit))
	if err != nil {
		return transfer.PushResult{}, err
	}
	if err := w.checkCommit(ctx, c, p); err != nil {
		return transfer.PushResult{}, err
	}
	own, err := w.ownCommits(ctx, p)
	if err != nil {
		return transfer.PushResult{}, err
	}
	r := w.mirror.Remote()
	p.ToFork = r.PushTo != nil
	return w.mirror.client.Push(ctx, r.Pushed(), w.Store, p, own)
}

// PushedHead returns the commit of a branch of the bot's own, which is in the remote to which branches are
// pushed: perhaps a fork. It is empty if there is no such branch.
func (m *Mirror) PushedHead(ctx context.Context, branch string) (commit string, err error) {
	return m.client.BranchCommit(ctx, m.Remote().Pushed(), branch)
}

// Head asks the remote for the commit of a branch. It is empty if there is no such branch.
func (m *Mirror) Head(ctx context.Context, branch string) (commit string, err error) {
	return m.client.BranchCommit(ctx, m.Remote(), branch)
}

// HasPushed reports whether a branch has a commit now, in the remote to which branches are pushed: it is at
// that commit, or somebody went on from there.
func (m *Mirror) HasPushed(ctx context.Context, branch, commit string) (bool, error) {
	stands, err := m.PushedHead(ctx, branch)
	if err != nil || stands == "" || stands == commit {
		return stands != "" && stands == commit, err
	}
	if err := m.Fetch(ctx); err != nil {
		return false, err
	}
	commits := m.Commits()
	if !commits.Has(stands) || !commits.Has(commit) { // what has the commit would have led to it
		return false, nil
	}
	common, err := commits.mergeBase(ctx, stands, commit)
	return common == commit, err
}

// ownCommits returns the commits of p since its base, or none if it names no base.
func (w *Workspace) ownCommits(ctx context.Context, p transfer.PushSpec) (map[plumbing.Hash]bool, error) {
	if p.Base == "" {
		return nil, nil
	}
	c, err := w.Store.Commit(plumbing.NewHash(p.Commit))
	if err != nil {
		return nil, err
	}
	base, err := w.commitAt(p.Base)
	if err != nil {
		return nil, err
	}
	return history.Beyond(ctx, w.Store, c, base)
}

// BranchHead asks the remote to which branches are pushed for the commit of one; "" means that the branch
// does not exist.
func (w *Workspace) BranchHead(ctx context.Context, branch string) (commit string, err error) {
	return w.mirror.client.BranchCommit(ctx, w.mirror.Remote().Pushed(), branch)
}

// checkCommit returns an error if the commit has not the tree, or not the ancestor, that the caller
// named.
func (w *Workspace) checkCommit(ctx context.Context, c *object.Commit, p transfer.PushSpec) error {
	if p.Tree != "" && c.TreeHash.String() != p.Tree {
		return fmt.Errorf("git: push: commit %s has the tree %s, not %s", p.Commit, c.TreeHash, p.Tree)
	}
	if p.Base == "" {
		return nil
	}
	common, err := w.MergeBase(ctx, p.Base, p.Commit)
	if err == nil && common != p.Base {
		err = fmt.Errorf("git: push: commit %s does not come from %s", p.Commit, p.Base)
	}
	return err
}
