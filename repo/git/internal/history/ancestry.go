package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// MergeBase returns the nearest common ancestor of two commits, the newest if several are as near, or
// "" if they have none.
func MergeBase(ctx context.Context, s *objects.Store, a, b *object.Commit) (string, error) {
	if a.Hash == b.Hash {
		return a.Hash.String(), nil
	}
	p := &mergeBaseWalk{store: s, marks: map[plumbing.Hash]mark{}, queued: map[plumbing.Hash]bool{}}
	p.paintCommit(a, ofA)
	p.paintCommit(b, ofB)
	return p.findBase(ctx)
}

// Beyond returns the commits that a leads to and b does not: a itself and its ancestors,
// without b and its ancestors.
func Beyond(ctx context.Context, s *objects.Store, a, b *object.Commit) (map[plumbing.Hash]bool, error) {
	p := &mergeBaseWalk{store: s, marks: map[plumbing.Hash]mark{}, queued: map[plumbing.Hash]bool{}}
	p.paintCommit(a, ofA)
	p.paintCommit(b, ofB)
	if _, err := p.findBase(ctx); err != nil {
		return nil, err
	}
	out := map[plumbing.Hash]bool{}
	for h, m := range p.marks {
		if m == ofA {
			out[h] = true
		}
	}
	return out, nil
}

// mark records from which of the two commits a commit was reached. A commit below a common ancestor is
// passed: it is common too, but further away.
type mark uint8

const (
	ofA mark = 1 << iota
	ofB
	passed
)

// mergeBaseWalk walks back from both commits at once, newest first, until all commits left to visit are
// below a common ancestor.
type mergeBaseWalk struct {
	store  *objects.Store
	marks  map[plumbing.Hash]mark
	queue  []*object.Commit // oldest first
	queued map[plumbing.Hash]bool
	open   int // queued commits that are not passed
	common []*object.Commit
}

func (mbw *mergeBaseWalk) paintCommit(c *object.Commit, m mark) {
	was := mbw.marks[c.Hash]
	if was|m == was {
		return
	}
	mbw.marks[c.Hash] = was | m
	if mbw.queued[c.Hash] {
		if was&passed == 0 && m&passed != 0 {
			mbw.open--
		}
		return
	}
	mbw.queued[c.Hash] = true
	if (was|m)&passed == 0 {
		mbw.open++
	}
	at, _ := slices.BinarySearchFunc(mbw.queue, c, olderFirst)
	mbw.queue = slices.Insert(mbw.queue, at, c)
}

// olderFirst compares by hash if the times are equal, so that the answer is always the same.
func olderFirst(a, b *object.Commit) int {
	if d := a.Committer.When.Compare(b.Committer.When); d != 0 {
		return d
	}
	return strings.Compare(a.Hash.String(), b.Hash.String())
}

func (mbw *mergeBaseWalk) findBase(ctx context.Context) (string, error) {
	for mbw.open > 0 {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := mbw.paintParents(); err != nil {
			return "", err
		}
	}
	best := slices.DeleteFunc(mbw.common,
		func(c *object.Commit) bool { return mbw.marks[c.Hash]&passed != 0 })
	if len(best) == 0 {
		return "", nil
	}
	return slices.MaxFunc(best, olderFirst).Hash.String(), nil
}

func (mbw *mergeBaseWalk) paintParents() error {
	c := mbw.queue[len(mbw.queue)-1]
	mbw.queue = mbw.queue[:len(mbw.queue)-1]
	delete(mbw.queued, c.Hash)
	m := mbw.marks[c.Hash]
	if m&passed == 0 {
		mbw.open--
	}
	if m == ofA|ofB {
		mbw.common = append(mbw.common, c)
		m |= passed
	}
	for _, h := range c.ParentHashes {
		parent, err := mbw.store.Commit(h)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue // a shallow clone ends here
		}
		if err != nil {
			return err
		}
		mbw.paintCommit(parent, m)
	}
	return nil
}
