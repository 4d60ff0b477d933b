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
	err := walk(ctx, s, tree, "", func(name string, n Node) (bool, error) {
		if n.IsFile() {
			if out = append(out, name); len(out) > maxPaths {
				dir := path.Dir(name)
				return false, &PathError{dir, "is in a tree of more files than can be looked through"}
			}
		}
		return n.IsDir() && !skip(name), nil
	})
	return out, err
}

// walk calls each for every node below the folder dir, in git's order, but not for those that are refused
// when the commit is written to a disk. It reads a folder if each returns true for it.
func walk(
	ctx context.Context, s *objects.Store, tree plumbing.Hash, dir string,
	each func(name string, n Node) (into bool, err error),
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, err := Read(s, tree)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if CheckNode(n) != nil {
			continue
		}
		name := path.Join(dir, n.Name)
		into, err := each(name, n)
		if err == nil && into {
			err = walk(ctx, s, n.Hash, name, each)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
