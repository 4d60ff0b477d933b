package gittree

import (
	"context"
	"path"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// A Pin is a submodule's folder, and the commit of the other repository.
type Pin struct{ Path, Commit string }

// ListPins returns the pins of the submodules in a tree, in git's order.
func ListPins(ctx context.Context, s *objects.Store, tree plumbing.Hash) (out []Pin, err error) {
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
			case n.Mode == Submodule:
				out = append(out, Pin{name, n.Hash.String()})
			case n.IsDir():
				if err := under(n.Hash, name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return out, under(tree, "")
}
