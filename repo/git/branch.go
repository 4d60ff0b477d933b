package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
)

// DeleteBranch deletes a branch of the bot's own on the remote if it is at p.Commit. If somebody moved it, it
// stays, and stands is the commit that it is at; otherwise stands is empty. A branch that does not exist is
// no error. It refuses every branch that p would not be pushed to.
func (m *Mirror) DeleteBranch(ctx context.Context, p transfer.PushSpec) (stands string, err error) {
	if err := p.Check(m.currentRefs().Head); err != nil {
		return "", err
	}
	return m.client.Delete(ctx, m.Remote().Pushed(), p)
}

// TreeWith returns the tree of base in which the given paths are as in from. A path that from does not have
// is removed. base and from are trees or commits, named by their whole hashes. The files stay as they are.
func (w *Workspace) TreeWith(base, from string, paths []string) (tree string, err error) {
	onto, err := gittree.FindTree(w.Store, base)
	if err != nil {
		return "", err
	}
	source, err := gittree.FindTree(w.Store, from)
	if err != nil {
		return "", err
	}
	var edit gittree.Edit
	for _, path := range paths {
		n, err := gittree.FindNode(w.Store, source, path)
		if err != nil {
			return "", fmt.Errorf("git: read %s of %s: %w", gittree.QuotePath(path), from, err)
		}
		edit.Set(strings.Split(path, "/"), n)
	}
	made, err := edit.Apply(w.Store, onto)
	if err != nil {
		return "", fmt.Errorf("git: put together the files of %s and %s: %w", base, from, err)
	}
	if made == (plumbing.Hash{}) {
		return "", fmt.Errorf("git: no file of %s is left", base)
	}
	return made.String(), nil
}
