package bundle

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

const maxNewCommits = 10_000 // more new commits than this are a mistake

// NewObjects lists the objects that another repository may lack: for each commit that is neither in there nor in the
// mirror, the commit itself and what differs from its parents. The commits in own are listed also if the mirror has
// them: it keeps them when their branch is deleted, and the other repository may not.
func NewObjects(ctx context.Context, s *objects.Store, commit plumbing.Hash, there, own map[plumbing.Hash]bool) ([]plumbing.Hash, error) {
	return listCommits(ctx, s, commit, func(h plumbing.Hash) bool { return there[h] || s.InMirror(h) && !own[h] })
}

// listCommits lists the objects of the commit and of its ancestors, up to those for which there returns true: for
// each commit, the commit itself and what differs from its parents.
func listCommits(ctx context.Context, s *objects.Store, commit plumbing.Hash, there func(plumbing.Hash) bool) ([]plumbing.Hash, error) {
	list := &objectList{store: s, seen: map[plumbing.Hash]bool{}}
	queue := []plumbing.Hash{commit}
	for commits := 0; len(queue) > 0; commits++ {
		h := queue[0]
		queue = queue[1:]
		if there(h) || !list.addHash(h) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if commits > maxNewCommits {
			return nil, fmt.Errorf("more than %d new commits", maxNewCommits)
		}
		c, err := s.Commit(h)
		if err != nil {
			return nil, err
		}
		if err := list.addCommit(c); err != nil {
			return nil, err
		}
		queue = append(queue, c.ParentHashes...)
	}
	return list.hashes, nil
}

// maxOwnCommits is the number of commits after which OwnCommits takes the line for one without a base.
const maxOwnCommits = 1000

// OwnCommits returns the commits of a session's branch, newest first: head and its first parents, down to one of
// the bases that the branch was made on. It returns head alone if none of the bases is among the newest 1000
// commits. The mirror may have fetched own commits; another mirror does not get them once their branch is deleted.
func OwnCommits(s *objects.Store, head string, bases ...string) ([]string, error) {
	var own []string
	for h := head; !slices.Contains(bases, h); {
		c, err := s.Commit(plumbing.NewHash(h))
		if err != nil {
			return nil, err
		}
		if own = append(own, h); len(own) == maxOwnCommits || len(c.ParentHashes) == 0 {
			return own[:1], nil
		}
		h = c.ParentHashes[0].String()
	}
	return own, nil
}

type objectList struct {
	store  *objects.Store
	seen   map[plumbing.Hash]bool
	hashes []plumbing.Hash
}

func (l *objectList) addHash(h plumbing.Hash) bool {
	if l.seen[h] {
		return false
	}
	l.seen[h] = true
	l.hashes = append(l.hashes, h)
	return true
}

func (l *objectList) addCommit(c *object.Commit) error {
	var parents []plumbing.Hash
	for _, h := range c.ParentHashes {
		parent, err := l.store.Commit(h)
		if err != nil {
			return err
		}
		parents = append(parents, parent.TreeHash)
	}
	return l.addTree(c.TreeHash, parents)
}

// addTree adds the objects in a tree that no parent has at the same path.
func (l *objectList) addTree(h plumbing.Hash, parents []plumbing.Hash) error {
	if slices.Contains(parents, h) || !l.addHash(h) {
		return nil
	}
	nodes, err := gittree.Read(l.store, h)
	if err != nil {
		return err
	}
	was, err := l.hashesByName(parents)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		switch {
		case n.Mode == gittree.Submodule:
		case n.IsDir():
			err = l.addTree(n.Hash, was[n.Name])
		case !slices.Contains(was[n.Name], n.Hash):
			l.addHash(n.Hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hashesByName returns, for each name, the hashes that the parents have for it.
func (l *objectList) hashesByName(parents []plumbing.Hash) (map[string][]plumbing.Hash, error) {
	was := map[string][]plumbing.Hash{}
	for _, parent := range parents {
		kind, content, err := l.store.Get(parent)
		if err != nil {
			return nil, err
		}
		if kind != plumbing.TreeObject {
			continue // this parent has a file there
		}
		nodes, err := gittree.Parse(content)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			was[n.Name] = append(was[n.Name], n.Hash)
		}
	}
	return was, nil
}
