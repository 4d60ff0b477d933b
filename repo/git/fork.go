package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
)

// Fork makes a workspace in dir with the same base as w and with w's current files: also uncommitted
// ones, but not those that a .gitignore names. started is the tree that the fork began with. The work
// done in the fork is the difference from started, and Merge(ctx, fork, started, tree of the fork)
// brings it back. If dir already holds a fork, it is reopened as it is, and started is what it was when
// the fork was made. A fork whose making was interrupted is made again.
func (w *Workspace) Fork(ctx context.Context, dir string) (fork *Workspace, started string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, "", fmt.Errorf("git: fork: %w", err)
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

// SetBase makes another commit, of the mirror or of the workspace's own objects, the base of the
// workspace. The files stay as they are. From now on Base, Changes, Diff, ListHunks and Restore to the
// base refer to that commit, also when the workspace is opened again.
func (w *Workspace) SetBase(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	return w.MoveBase(ctx, c)
}

// AdoptTree makes a tree or commit of another workspace readable in w, by copying the objects that w
// lacks. Both workspaces must be of the same mirror, and tree must be a whole hash.
func (w *Workspace) AdoptTree(ctx context.Context, from *Workspace, tree string) error {
	if from.mirror.dir != w.mirror.dir {
		return fmt.Errorf("git: adopt: %s is a workspace of another repository", from.Dir)
	}
	if !plumbing.IsHash(tree) {
		return fmt.Errorf("git: adopt: %q is not the whole hash of a tree or commit", tree)
	}
	if err := bundle.CopyObjects(ctx, w.Store, from.Store, plumbing.NewHash(tree)); err != nil {
		return fmt.Errorf("git: adopt %s: %w", tree, err)
	}
	return nil
}
