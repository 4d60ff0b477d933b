package repo

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// fresh lists the objects that the remote cannot have: of each commit that is
// neither advertised nor from the mirror, what differs from its parents.
func (p *push) fresh(ctx context.Context, there map[plumbing.Hash]bool) ([]plumbing.Hash, error) {
	list := &objectList{store: p.store, seen: map[plumbing.Hash]bool{}}
	queue := []plumbing.Hash{p.commit}
	for commits := 0; len(queue) > 0; commits++ {
		h := queue[0]
		queue = queue[1:]
		if there[h] || p.store.mirrored(h) || !list.add(h) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if commits > newCommits {
			return nil, ours("push", fmt.Errorf("more than %d new commits", newCommits))
		}
		c, err := p.store.commit(h)
		if err != nil {
			return nil, ours("read the commit", err)
		}
		if err := list.commit(c); err != nil {
			return nil, ours("read the commit", err)
		}
		queue = append(queue, c.ParentHashes...)
	}
	return list.hashes, nil
}

type objectList struct {
	store  *store
	seen   map[plumbing.Hash]bool
	hashes []plumbing.Hash
}

func (l *objectList) add(h plumbing.Hash) bool {
	if l.seen[h] {
		return false
	}
	l.seen[h] = true
	l.hashes = append(l.hashes, h)
	return true
}

func (l *objectList) commit(c *object.Commit) error {
	var parents []plumbing.Hash
	for _, h := range c.ParentHashes {
		parent, err := l.store.commit(h)
		if err != nil {
			return err
		}
		parents = append(parents, parent.TreeHash)
	}
	return l.tree(c.TreeHash, parents)
}

// tree adds what is in a tree and not at the same place of any parent's.
func (l *objectList) tree(h plumbing.Hash, parents []plumbing.Hash) error {
	if slices.Contains(parents, h) || !l.add(h) {
		return nil
	}
	nodes, err := l.store.tree(h)
	if err != nil {
		return err
	}
	was, err := l.places(parents)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		switch {
		case n.mode == submodule:
		case n.isDir():
			err = l.tree(n.hash, was[n.name])
		case !slices.Contains(was[n.name], n.hash):
			l.add(n.hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// places gives, for each name, what the parents have there.
func (l *objectList) places(parents []plumbing.Hash) (map[string][]plumbing.Hash, error) {
	was := map[string][]plumbing.Hash{}
	for _, parent := range parents {
		kind, content, err := l.store.get(parent)
		if err != nil {
			return nil, err
		}
		if kind != plumbing.TreeObject {
			continue // a file stood there
		}
		nodes, err := parseTree(content)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			was[n.name] = append(was[n.name], n.hash)
		}
	}
	return was, nil
}
