package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Conflict is one place where two sides changed the same in different ways.
// Ours, Base and Theirs are excerpts of texts, cut where they are long.
type Conflict struct {
	Path string
	// Why begins with: both changed line(s) …, both changed the link, both added,
	// deleted on one side, binary, mode, file and folder, in the way. Lines are
	// counted in this workspace's file.
	Why                string
	Ours, Base, Theirs string
}

func (c Conflict) String() string { return quote(c.Path) + ": " + c.Why }

// Merge brings what changed between base and theirs, each a tree or a commit by
// its whole hash, into the files: three-way, and line by line for texts. With
// conflicts, as with an error, the files are as they were. from is the
// workspace whose own objects hold the two; nil is this one or the mirror.
//
// The pin of a submodule is not among the files: it follows SetBase.
func (w *Workspace) Merge(ctx context.Context, from *Workspace, base, theirs string) ([]Conflict, error) {
	if from != nil && from != w {
		for _, name := range []string{base, theirs} {
			if err := w.Adopt(ctx, from, name); err != nil {
				return nil, err
			}
		}
	}
	baseTree, err := w.store.treeNamed(base)
	if err != nil {
		return nil, err
	}
	theirTree, err := w.store.treeNamed(theirs)
	if err != nil {
		return nil, err
	}
	here, err := w.Tree(ctx)
	if err != nil {
		return nil, err
	}
	m := &merge{store: w.store}
	if err := m.run(ctx, baseTree, plumbing.NewHash(here), theirTree); err != nil {
		return nil, err
	}
	if len(m.conflicts) > 0 {
		return m.conflicts, nil
	}
	inTheWay, err := w.inTheWay(ctx, m.swaps)
	if err != nil || len(inTheWay) > 0 {
		return inTheWay, err
	}
	return nil, w.replace(ctx, m.swaps)
}

// treeNamed takes a tree or a commit.
func (s *store) treeNamed(name string) (plumbing.Hash, error) {
	h := plumbing.NewHash(name)
	if !plumbing.IsHash(name) {
		return h, fmt.Errorf("repo: %q is not the whole hash of a tree or commit", name)
	}
	kind, _, err := s.get(h)
	switch {
	case err != nil:
		return h, fmt.Errorf("repo: read %s: %w", name, err)
	case kind == plumbing.TreeObject:
		return h, nil
	case kind != plumbing.CommitObject:
		return h, fmt.Errorf("repo: %s is a %s, not a tree or commit", name, kind)
	}
	c, err := s.commit(h)
	if err != nil {
		return h, err
	}
	return c.TreeHash, nil
}

// merge compares three trees and gathers what has to change in ours.
type merge struct {
	store     *store
	swaps     []swap
	conflicts []Conflict
}

// sides is one path in the three trees.
type sides struct {
	path               string
	base, ours, theirs node
}

func (m *merge) run(ctx context.Context, base, ours, theirs plumbing.Hash) error {
	all, err := m.paths(ctx, base, ours, theirs)
	if err != nil {
		return err
	}
	stays := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, before := all[p], len(m.conflicts)
		want, err := m.path(s)
		if err != nil {
			return err
		}
		if len(m.conflicts) > before {
			continue
		}
		stays[p] = !want.none()
		if !want.same(s.ours) {
			m.swaps = append(m.swaps, swap{p, s.ours, want})
		}
	}
	if file, below := clash(stays); file != "" {
		m.conflicts = append(m.conflicts, Conflict{Path: file, Why: "file and folder: a file on one side, and on the other the folder of " + quote(below)})
	}
	return checkSwaps(m.swaps)
}

// paths gives what either side changed. A file mode of old git is a plain one.
func (m *merge) paths(ctx context.Context, base, ours, theirs plumbing.Hash) (map[string]*sides, error) {
	mine, err := m.store.treeDeltas(ctx, base, ours, "")
	if err != nil {
		return nil, err
	}
	other, err := m.store.treeDeltas(ctx, base, theirs, "")
	if err != nil {
		return nil, err
	}
	all := make(map[string]*sides, len(mine)+len(other))
	for _, d := range mine {
		was := plainMode(d.before)
		all[d.path] = &sides{d.path, was, plainMode(d.after), was}
	}
	for _, d := range other {
		if all[d.path] == nil {
			was := plainMode(d.before)
			all[d.path] = &sides{path: d.path, base: was, ours: was}
		}
		all[d.path].theirs = plainMode(d.after)
	}
	return all, nil
}

func plainMode(n node) node {
	if n.mode == filemode.Deprecated {
		n.mode = filemode.Regular
	}
	return n
}

// checkSwaps refuses to write what a checkout would refuse.
func checkSwaps(swaps []swap) error {
	for _, s := range swaps {
		if s.want.none() {
			continue
		}
		for part := range strings.SplitSeq(s.path, "/") {
			if err := checkNode(node{name: part, mode: s.want.mode}); err != nil {
				return &TreeError{s.path, err.Error()}
			}
		}
	}
	return nil
}

// path decides one path; where it cannot, it adds conflicts.
func (m *merge) path(s *sides) (node, error) {
	switch {
	case s.ours.same(s.theirs), s.theirs.same(s.base):
		return s.ours, nil
	case s.ours.same(s.base):
		return s.theirs, nil
	case s.base.none() && s.ours.hash == s.theirs.hash && s.ours.isFile() && s.theirs.isFile():
		return node{}, m.conflict(s, "mode: both added it, here as "+kindWord(s.ours)+", there as "+kindWord(s.theirs))
	case s.base.none():
		return node{}, m.conflict(s, "both added it, with different content")
	case s.ours.none():
		return node{}, m.conflict(s, "deleted on one side: here it is gone, there it was changed")
	case s.theirs.none():
		return node{}, m.conflict(s, "deleted on one side: there it is gone, here it was changed")
	case s.base.isFile() && s.ours.isFile() && s.theirs.isFile():
		return m.file(s)
	case s.ours.isLink() && s.theirs.isLink():
		return node{}, m.conflict(s, "both changed the link")
	case s.ours.isFile() && s.theirs.isFile():
		return node{}, m.conflict(s, "both changed it from a "+kindWord(s.base)+" to a file, with different content")
	}
	return node{}, m.conflict(s, "mode: here a "+kindWord(s.ours)+", there a "+kindWord(s.theirs))
}

// conflict shows texts whole as far as they fit.
func (m *merge) conflict(s *sides, why string) error {
	c := Conflict{Path: s.path, Why: why}
	for _, side := range []struct {
		node node
		into *string
	}{{s.ours, &c.Ours}, {s.base, &c.Base}, {s.theirs, &c.Theirs}} {
		content, err := m.store.content(side.node)
		if err != nil {
			return err
		}
		if !isBinary(content) {
			*side.into = excerpt(splitLines(content))
		}
	}
	m.conflicts = append(m.conflicts, c)
	return nil
}

// file merges the executable bit and the content, each by itself.
func (m *merge) file(s *sides) (node, error) {
	out := s.ours
	if s.ours.mode == s.base.mode {
		out.mode = s.theirs.mode
	}
	switch {
	case s.ours.hash == s.theirs.hash, s.theirs.hash == s.base.hash:
		return out, nil
	case s.ours.hash == s.base.hash:
		out.hash = s.theirs.hash
		return out, nil
	}
	var text [3][]byte
	for i, n := range []node{s.base, s.ours, s.theirs} {
		var err error
		if text[i], err = m.store.typed(plumbing.BlobObject, n.hash); err != nil {
			return node{}, err
		}
		if isBinary(text[i]) {
			return node{}, m.conflict(s, "binary: both changed it")
		}
	}
	merged, conflicts := mergeText(text[0], text[1], text[2])
	for i := range conflicts {
		conflicts[i].Path = s.path
	}
	if m.conflicts = append(m.conflicts, conflicts...); len(conflicts) > 0 {
		return node{}, nil
	}
	var err error
	out.hash, err = m.store.put(plumbing.BlobObject, merged)
	return out, err
}
