package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/bundle"
)

// Fork makes a workspace in dir that stands on the same base and holds this
// one's files as they are now, what is not committed and no .gitignore names
// included. started is the tree that it began with: what was done in the fork
// is the difference to it, and Merge(ctx, fork, started, tree of the fork)
// brings that back. A fork that is there already is reopened as it is, and
// started is what it was. An interrupted making is begun again.
func (w *Workspace) Fork(ctx context.Context, dir string) (fork *Workspace, started string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, "", fmt.Errorf("repo: fork: %w", err)
	}
	f := w.mirror.workspaceIn(dir)
	started, err = f.OpenFork()
	if errors.Is(err, fs.ErrNotExist) {
		started, err = w.ForkTo(ctx, f.Worktree)
	}
	if err != nil {
		return nil, "", err
	}
	return f, started, nil
}

// SetBase lets the workspace stand on another commit, the mirror's or its own.
// The files stay as they are; what is said of them (Base, Changes, Diff, Hunks,
// Restore to the base) is against that commit from now on, also when the
// workspace is opened again.
func (w *Workspace) SetBase(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	return w.MoveBase(ctx, c)
}

// AdoptTree makes a tree or a commit of another workspace of the same mirror
// readable here, by copying the objects that only the other one has.
func (w *Workspace) AdoptTree(ctx context.Context, from *Workspace, tree string) error {
	if from.mirror.dir != w.mirror.dir {
		return fmt.Errorf("repo: adopt: %s is a workspace of another repository", from.Dir)
	}
	if !plumbing.IsHash(tree) {
		return fmt.Errorf("repo: adopt: %q is not the whole hash of a tree or commit", tree)
	}
	if err := bundle.CopyObjects(ctx, w.Store, from.Store, plumbing.NewHash(tree)); err != nil {
		return fmt.Errorf("repo: adopt %s: %w", tree, err)
	}
	return nil
}
