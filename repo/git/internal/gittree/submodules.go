package gittree

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// A Pin is a submodule's folder, and the commit of the other repository.
type Pin struct{ Path, Commit string }

// ListPins returns the pins of the submodules in a tree, in git's order.
func ListPins(ctx context.Context, s *objects.Store, tree plumbing.Hash) (out []Pin, err error) {
	err = walk(ctx, s, tree, "", func(name string, n Node) (bool, error) {
		if n.Mode == Submodule {
			out = append(out, Pin{name, n.Hash.String()})
		}
		return n.IsDir(), nil
	})
	return out, err
}
