package gittree

import (
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// ReadContent returns the blob of a node, or for a submodule the line that git shows.
func ReadContent(s *objects.Store, n Node) ([]byte, error) {
	switch {
	case n.None():
		return nil, nil
	case n.Mode == filemode.Submodule:
		return []byte("Subproject commit " + n.Hash.String() + "\n"), nil
	}
	return s.GetTyped(plumbing.BlobObject, n.Hash)
}

func KindName(n Node) string {
	switch n.Mode {
	case 0:
		return ""
	case filemode.Symlink:
		return "symlink"
	case filemode.Executable:
		return "executable"
	case filemode.Submodule:
		return "submodule"
	}
	return "file"
}

// MeasureSide raises d.Kept to the size that a side has in the store.
func MeasureSide(s *objects.Store, d *Delta, n Node) error {
	if !n.IsFile() {
		return nil
	}
	size, err := s.EncodedObjectSize(n.Hash)
	if err != nil {
		return fmt.Errorf("git: size of %s: %w", d.Path, err)
	}
	d.Kept = max(d.Kept, size)
	return nil
}

// FindTree returns the hash of the tree of a tree or commit, which is named by its whole hash.
func FindTree(s *objects.Store, name string) (plumbing.Hash, error) {
	h := plumbing.NewHash(name)
	if !plumbing.IsHash(name) {
		return h, fmt.Errorf("git: %q is not the whole hash of a tree or commit", name)
	}
	kind, _, err := s.Get(h)
	switch {
	case err != nil:
		return h, fmt.Errorf("git: read %s: %w", name, err)
	case kind == plumbing.TreeObject:
		return h, nil
	case kind != plumbing.CommitObject:
		return h, fmt.Errorf("git: %s is a %s, not a tree or commit", name, kind)
	}
	c, err := s.Commit(h)
	if err != nil {
		return h, err
	}
	return c.TreeHash, nil
}

// SameMode reports whether two modes are the same. git's old 100664 counts as a plain file.
func SameMode(recorded, now filemode.FileMode) bool {
	return recorded == now || recorded == filemode.Deprecated && now == filemode.Regular
}
