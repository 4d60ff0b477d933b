package gittree

import (
	"context"
	"path"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// maxPaths is more than any real repository has.
const maxPaths = 2_000_000

// ListPaths returns the plain files of a tree, in git's order. It does not read folders for which skip
// returns true.
func ListPaths(
	ctx context.Context, s *objects.Store, tree plumbing.Hash, skip func(dir string) bool,
) ([]string, error) {
	var out []string
	var under func(tree plumbing.Hash, dir string) error
	under = func(tree plumbing.Hash, dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		nodes, err := Read(s, tree)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			name := path.Join(dir, n.Name)
			switch {
			case CheckNode(n) != nil: // refused when the commit is written to a disk
			case n.IsFile():
				if out = append(out, name); len(out) > maxPaths {
					return &PathError{dir, "is in a tree of more files than can be looked through"}
				}
			case n.IsDir() && !skip(name):
				if err := under(n.Hash, name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return out, under(tree, "")
}
