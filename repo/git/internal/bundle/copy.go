package bundle

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// CopyObjects copies an object and all that it names from one store to another, and skips what s has.
// An object is written after those that it names, so an object in s is always complete, also after a
// crash.
func CopyObjects(ctx context.Context, s *objects.Store, from *objects.Store, h plumbing.Hash) error {
	if s.Has(h) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	kind, content, err := from.Get(h)
	if err != nil {
		return err
	}
	names, err := objectsNamedBy(from, kind, content, h)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := CopyObjects(ctx, s, from, n); err != nil {
			return err
		}
	}
	_, err = s.Put(kind, content)
	return err
}

// objectsNamedBy returns the objects that an object needs. The pin of a submodule is left out, since it
// is a commit of another repository.
func objectsNamedBy(s *objects.Store, kind plumbing.ObjectType, content []byte, h plumbing.Hash) (out []plumbing.Hash, err error) {
	switch kind {
	case plumbing.TreeObject:
		nodes, err := gittree.Parse(content)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			if n.Mode != gittree.Submodule {
				out = append(out, n.Hash)
			}
		}
	case plumbing.CommitObject:
		c, err := s.Commit(h)
		if err != nil {
			return nil, err
		}
		out = append(out, c.TreeHash)
		for _, p := range c.ParentHashes {
			if s.Has(p) { // in a shallow clone some parents are missing
				out = append(out, p)
			}
		}
	}
	return out, nil
}
