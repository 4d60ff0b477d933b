package repo

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Tree writes the files as they stand into the session's own storage and gives
// the hash of their tree. Only changed blobs and the folders on their paths are
// written.
func (w *Workspace) Tree(ctx context.Context) (string, error) {
	base, deltas, err := w.deltasTo(ctx)
	if err != nil {
		return "", err
	}
	edits := &edit{}
	for i := range deltas {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := w.keep(&deltas[i])
		if err != nil {
			return "", err
		}
		edits.set(strings.Split(deltas[i].path, "/"), n)
	}
	h, err := w.store.apply(base, edits)
	return h.String(), err
}

// TreeOf is the tree of a commit, or the tree of that name, if it is here.
func (w *Workspace) TreeOf(name string) (string, error) {
	h, err := w.store.treeNamed(name)
	if err == nil {
		_, err = w.store.tree(h)
	}
	return h.String(), err
}

// keep writes the blob that a path holds now.
func (w *Workspace) keep(d *delta) (node, error) {
	if d.after.none() {
		return node{}, nil
	}
	for part := range strings.SplitSeq(d.path, "/") {
		if err := checkName(part); err != nil {
			return node{}, &TreeError{d.path, err.Error()}
		}
	}
	if d.tooLarge() {
		return node{}, tooLarge(d.path, d.size)
	}
	content, err := w.read(d)
	if err != nil {
		return node{}, err
	}
	h, err := w.store.put(plumbing.BlobObject, content)
	return node{mode: d.after.mode, hash: h}, err
}

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// edit is what becomes of one folder: names that are set or, with a zero node,
// removed, and folders below that are edited themselves.
type edit struct {
	names map[string]node
	dirs  map[string]*edit
}

func (e *edit) set(path []string, n node) {
	if len(path) == 1 {
		if e.names == nil {
			e.names = map[string]node{}
		}
		e.names[path[0]] = n
		return
	}
	if e.dirs == nil {
		e.dirs = map[string]*edit{}
	}
	if e.dirs[path[0]] == nil {
		e.dirs[path[0]] = &edit{}
	}
	e.dirs[path[0]].set(path[1:], n)
}

// apply gives the tree with the edits made. A folder that ends empty is not in
// its parent, as in git; a file may take the place of a folder and the reverse.
func (s *store) apply(tree plumbing.Hash, e *edit) (plumbing.Hash, error) {
	old, err := s.treeOrNone(tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	was := make(map[string]node, len(old))
	for _, n := range old {
		was[n.name] = n
	}
	now := make(map[string]node, len(old))
	for name, n := range was {
		now[name] = n
	}
	for name, n := range e.names {
		if delete(now, name); !n.none() {
			n.name = name
			now[name] = n
		}
	}
	for name, below := range e.dirs {
		n, err := s.applyDir(was[name], name, below)
		switch {
		case err != nil:
			return plumbing.ZeroHash, err
		case !n.none():
			now[name] = n
		case now[name].isDir():
			delete(now, name)
		}
	}
	return s.putTree(now)
}

func (s *store) applyDir(was node, name string, below *edit) (node, error) {
	var from plumbing.Hash
	if was.isDir() {
		from = was.hash
	}
	h, err := s.apply(from, below)
	if err != nil || h.String() == emptyTree {
		return node{}, err
	}
	return node{name: name, mode: filemode.Dir, hash: h}, nil
}

func (s *store) putTree(nodes map[string]node) (plumbing.Hash, error) {
	list := make([]node, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n)
	}
	h, err := s.put(plumbing.TreeObject, encodeTree(list))
	if err != nil {
		return h, fmt.Errorf("repo: keep tree: %w", err)
	}
	return h, nil
}
