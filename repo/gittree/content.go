package gittree

import (
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/objects"
)

// ReadContent is the blob of a node; a submodule's is the line that git shows.
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

// MeasureSide notes in the delta the size of a side that the store holds.
func MeasureSide(s *objects.Store, d *Delta, n Node) error {
	if !n.IsFile() {
		return nil
	}
	size, err := s.EncodedObjectSize(n.Hash)
	if err != nil {
		return fmt.Errorf("repo: size of %s: %w", d.Path, err)
	}
	d.Kept = max(d.Kept, size)
	return nil
}

// FindTree takes a tree or a commit.
func FindTree(s *objects.Store, name string) (plumbing.Hash, error) {
	h := plumbing.NewHash(name)
	if !plumbing.IsHash(name) {
		return h, fmt.Errorf("repo: %q is not the whole hash of a tree or commit", name)
	}
	kind, _, err := s.Get(h)
	switch {
	case err != nil:
		return h, fmt.Errorf("repo: read %s: %w", name, err)
	case kind == plumbing.TreeObject:
		return h, nil
	case kind != plumbing.CommitObject:
		return h, fmt.Errorf("repo: %s is a %s, not a tree or commit", name, kind)
	}
	c, err := s.Commit(h)
	if err != nil {
		return h, err
	}
	return c.TreeHash, nil
}

// SameMode takes git's old 100664 for a plain file.
func SameMode(recorded, now filemode.FileMode) bool {
	return recorded == now || recorded == filemode.Deprecated && now == filemode.Regular
}
