package gittree

import (
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Edit is the change of one folder: names that are set or, with a zero node, removed, and the edits of
// its subfolders.
type Edit struct {
	names map[string]Node
	dirs  map[string]*Edit
}

func (e *Edit) Set(path []string, n Node) {
	if len(path) == 1 {
		if e.names == nil {
			e.names = map[string]Node{}
		}
		e.names[path[0]] = n
		return
	}
	if e.dirs == nil {
		e.dirs = map[string]*Edit{}
	}
	if e.dirs[path[0]] == nil {
		e.dirs[path[0]] = &Edit{}
	}
	e.dirs[path[0]].Set(path[1:], n)
}

// Apply returns the tree with the edits made. A folder that becomes empty is left out of its parent, as
// in git. A file may replace a folder and the reverse.
func (e *Edit) Apply(s *objects.Store, tree plumbing.Hash) (plumbing.Hash, error) {
	old, err := readTreeOrNone(s, tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	was := make(map[string]Node, len(old))
	for _, n := range old {
		was[n.Name] = n
	}
	now := make(map[string]Node, len(old))
	for name, n := range was {
		now[name] = n
	}
	for name, n := range e.names {
		if delete(now, name); !n.None() {
			n.Name = name
			now[name] = n
		}
	}
	for name, below := range e.dirs {
		n, err := applyDir(s, was[name], name, below)
		switch {
		case err != nil:
			return plumbing.ZeroHash, err
		case !n.None():
			now[name] = n
		case now[name].IsDir():
			delete(now, name)
		}
	}
	return putTree(s, now)
}

func applyDir(s *objects.Store, was Node, name string, below *Edit) (Node, error) {
	var from plumbing.Hash
	if was.IsDir() {
		from = was.Hash
	}
	h, err := below.Apply(s, from)
	if err != nil || h.String() == emptyTree {
		return Node{}, err
	}
	return Node{Name: name, Mode: filemode.Dir, Hash: h}, nil
}

func putTree(s *objects.Store, nodes map[string]Node) (plumbing.Hash, error) {
	list := make([]Node, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n)
	}
	h, err := s.Put(plumbing.TreeObject, encode(list))
	if err != nil {
		return h, fmt.Errorf("git: keep tree: %w", err)
	}
	return h, nil
}
