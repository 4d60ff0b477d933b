package repo

import (
	"context"
	"path"

	"github.com/go-git/go-git/v5/plumbing"
)

// mostPaths is more than any repository of people's has.
const mostPaths = 2_000_000

// Paths are the plain files of a commit, in git's order. Folders that skip says so of are
// not looked into.
func (m *Mirror) Paths(ctx context.Context, commit string, skip func(dir string) bool) ([]string, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return nil, err
	}
	var out []string
	var under func(tree plumbing.Hash, dir string) error
	under = func(tree plumbing.Hash, dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		nodes, err := m.store.tree(tree)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			name := path.Join(dir, n.name)
			switch {
			case checkNode(n) != nil: // it is refused where the commit is written
			case n.isFile():
				if out = append(out, name); len(out) > mostPaths {
					return &TreeError{dir, "is in a tree of more files than can be looked through"}
				}
			case n.isDir() && !skip(name):
				if err := under(n.hash, name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return out, under(c.TreeHash, "")
}
