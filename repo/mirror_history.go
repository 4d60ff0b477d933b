package repo

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/history"
	"github.com/bobbinhq/bobbin/repo/objects"
)

func (m *Mirror) commitNamed(name string) (*object.Commit, error) {
	full, err := m.Resolve(name)
	if err != nil {
		return nil, err
	}
	return m.store.Commit(plumbing.NewHash(full))
}

// Log gives the last n commits that changed a path ("" is all), newest first.
// When ctx ends while it looks, it gives what it found so far, and the error only
// when that is nothing.
func (m *Mirror) Log(ctx context.Context, commit, path string, n int) ([]history.Commit, error) {
	start, err := m.commitNamed(commit)
	if err != nil {
		return nil, err
	}
	return history.Log(ctx, m.store, start, path, n)
}

// Show gives a commit and its diff against its first parent, cut at 256 KB and without what
// stands in the files whose path is hidden; hidden may be nil.
func (m *Mirror) Show(ctx context.Context, commit, within string, hidden func(path string) bool) (history.Commit, string, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return history.Commit{}, "", err
	}
	return history.Show(ctx, m.store, c, within, hidden)
}

// Blame gives the commit that a line of a file (from 1) came with. It follows
// that one line back and does not look through renames.
func (m *Mirror) Blame(ctx context.Context, commit, path string, line int) (history.Commit, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Blame(ctx, m.store, c, path, line)
}

// MergeBase is the nearest commit that two commits both grew out of, the newest
// one where several are as near; "" when they have none in common.
func (m *Mirror) MergeBase(ctx context.Context, a, b string) (string, error) {
	return mergeBase(ctx, m.store, m.commitNamed, a, b)
}

// MergeBase is the mirror's, for commits of the session's own too.
func (w *Workspace) MergeBase(ctx context.Context, a, b string) (string, error) {
	return mergeBase(ctx, w.Store, w.commitAt, a, b)
}

func mergeBase(ctx context.Context, s *objects.Store, find func(string) (*object.Commit, error), a, b string) (string, error) {
	one, err := find(a)
	if err != nil {
		return "", err
	}
	other, err := find(b)
	if err != nil {
		return "", err
	}
	return history.MergeBase(ctx, s, one, other)
}

// ListPaths are the plain files of a commit, in git's order. Folders that skip says so of are
// not looked into.
func (m *Mirror) ListPaths(ctx context.Context, commit string, skip func(dir string) bool) ([]string, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return nil, err
	}
	return gittree.ListPaths(ctx, m.store, c.TreeHash, skip)
}

// Parents are the hashes of a commit's parents; cut: some are not here, as where a shallow clone
// ends.
func (m *Mirror) Parents(commit string) (parents []string, cut bool, err error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return nil, false, err
	}
	return history.Parents(m.store, c)
}

// Commit is one commit as people read it.
func (m *Mirror) Commit(name string) (history.Commit, error) {
	c, err := m.commitNamed(name)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Of(c), nil
}

// A Release is a branch or tag.
type Release struct {
	Name, Commit string
	Branch       bool
	At           time.Time // of the commit
}

// Releases are the branches and tags whose name is one that is wanted, newest first. Of a branch
// and a tag of one name it is the branch.
func (m *Mirror) Releases(wanted func(name string) bool) []Release {
	var all []Release
	refs := m.currentRefs()
	for full := range refs.Hashes {
		name, branch := strings.CutPrefix(full, "refs/heads/")
		if !branch {
			tag := false
			if name, tag = strings.CutPrefix(full, "refs/tags/"); !tag {
				continue
			}
			if _, taken := refs.Hashes["refs/heads/"+name]; taken {
				continue
			}
		}
		if !wanted(name) {
			continue
		}
		c, err := m.commitNamed(name)
		if err != nil {
			continue // a tag of something else
		}
		all = append(all, Release{Name: name, Commit: c.Hash.String(), Branch: branch, At: c.Committer.When})
	}
	slices.SortFunc(all, func(a, b Release) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Name, a.Name)) })
	return all
}
