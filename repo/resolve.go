package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/revision"
	"github.com/bobbinhq/bobbin/repo/worktree"
)

// DefaultBranch is the branch that the remote's HEAD names; "" when it has none.
func (m *Mirror) DefaultBranch() string { return m.currentRefs().Head }

// Branches lists the branches of the remote, sorted.
func (m *Mirror) Branches() []string { return m.currentRefs().Branches() }

// Resolve gives the commit of a branch, tag, or whole or shortened commit hash;
// "" is the default branch.
func (m *Mirror) Resolve(name string) (string, error) {
	return revision.Names{Repository: m.Remote().Name, Refs: m.currentRefs(), Store: m.store}.Resolve(name)
}

// Materialise writes the plain files of a commit into dir, which has to be
// empty or absent. After an error what is in dir is not whole.
func (m *Mirror) Materialise(ctx context.Context, commit, dir string) error {
	c, err := m.commitNamed(commit)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("repo: materialise: %w", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(fmt.Errorf("repo: materialise: %s is not empty", dir), err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("repo: materialise: %w", err)
	}
	defer func() { _ = root.Close() }()
	_, err = worktree.CheckoutTree(ctx, m.store, c.TreeHash, root)
	return err
}

// ReadFile gives a file of a commit. A path that is not there is fs.ErrNotExist.
func (m *Mirror) ReadFile(commit, path string) ([]byte, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return nil, err
	}
	n, err := gittree.FindNode(m.store, c.TreeHash, strings.Trim(path, "/"))
	if err != nil {
		return nil, err
	}
	if !n.IsFile() && !n.IsLink() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return m.store.GetTyped(plumbing.BlobObject, n.Hash)
}
