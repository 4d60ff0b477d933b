package merge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Conflict is one place that both sides changed in different ways. Ours, Base and Theirs are excerpts
// of texts, cut if they are long.
type Conflict struct {
	Path string
	// Why begins with one of: both changed line(s) …, both changed the link, both added, deleted on one
	// side, renamed on both sides, binary, mode, file and folder, in the way. Lines are counted in this
	// workspace's file. If one side renamed the file, Why ends with the other name.
	Why                string
	Ours, Base, Theirs string
	Renamed            []string // the other names of a file that was renamed
}

func (c Conflict) String() string { return gittree.QuotePath(c.Path) + ": " + c.Why }

// merge compares three trees and collects the swaps that turn ours into the merged tree.
type merge struct {
	store     *objects.Store
	labels    *Labels // of the markers that conflicts are written with; nil: conflicts are not written
	dry       bool    // nothing is stored
	swaps     []gittree.Swap
	conflicts []Conflict
	contained bool // no path of the merged tree differs from theirs
}

// Trees merges three trees and returns the swaps that turn ours into the merged tree, or the conflicts.
// With conflicts, the swaps are incomplete.
func Trees(
	ctx context.Context, s *objects.Store, base, ours, theirs plumbing.Hash,
) ([]gittree.Swap, []Conflict, error) {
	m := &merge{store: s}
	err := m.mergeAll(ctx, base, ours, theirs)
	return m.swaps, m.conflicts, err
}

// sides holds one path of the three trees.
type sides struct {
	path               string
	base, ours, theirs gittree.Node
	renamed            *rename // one side renamed it to path, and the other one changed it
}

// inOurs returns what stands at the path in our tree.
func (s *sides) inOurs() gittree.Node {
	if s.renamed != nil && s.renamed.there {
		return gittree.Node{}
	}
	return s.ours
}

func (m *merge) mergeAll(ctx context.Context, base, ours, theirs plumbing.Hash) error {
	all, err := m.listChanged(ctx, base, ours, theirs)
	if err != nil {
		return err
	}
	if err := m.followRenames(all); err != nil {
		return err
	}
	m.contained = len(m.conflicts) == 0
	stays := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := all[p]
		before := len(m.conflicts)
		want, err := m.mergePath(s)
		if err != nil {
			return err
		}
		m.contained = m.contained && want.Same(s.theirs)
		s.renamed.sayIn(m.conflicts[before:])
		if len(m.conflicts) > before && m.labels == nil {
			continue
		}
		stays[p] = !want.None()
		if is := s.inOurs(); !want.Same(is) {
			m.swaps = append(m.swaps, gittree.Swap{Path: p, Is: is, Want: want})
		}
	}
	if file, below := gittree.FindClash(stays); file != "" {
		m.conflicts = append(m.conflicts, Conflict{
			Path: file,
			Why: "file and folder: a file on one side, and on the other the folder of " +
				gittree.QuotePath(below),
		})
	}
	m.contained = m.contained && len(m.conflicts) == 0
	return gittree.CheckSwaps(m.swaps)
}

// listChanged returns the paths that either side changed. It replaces git's old file mode by the plain
// one.
func (m *merge) listChanged(
	ctx context.Context, base, ours, theirs plumbing.Hash,
) (map[string]*sides, error) {
	mine, err := gittree.Compare(ctx, m.store, base, ours, "")
	if err != nil {
		return nil, err
	}
	other, err := gittree.Compare(ctx, m.store, base, theirs, "")
	if err != nil {
		return nil, err
	}
	all := make(map[string]*sides, len(mine)+len(other))
	for _, d := range mine {
		was := plainMode(d.Before)
		all[d.Path] = &sides{path: d.Path, base: was, ours: plainMode(d.After), theirs: was}
	}
	for _, d := range other {
		if all[d.Path] == nil {
			was := plainMode(d.Before)
			all[d.Path] = &sides{path: d.Path, base: was, ours: was}
		}
		all[d.Path].theirs = plainMode(d.After)
	}
	return all, nil
}

func plainMode(n gittree.Node) gittree.Node {
	if n.Mode == filemode.Deprecated {
		n.Mode = filemode.Regular
	}
	return n
}

// mergePath returns the merged node of one path. If it cannot be merged, mergePath adds conflicts, and the
// node is what stays in its place until somebody resolves them.
func (m *merge) mergePath(s *sides) (gittree.Node, error) {
	switch {
	case s.ours.Same(s.theirs), s.theirs.Same(s.base):
		return s.ours, nil
	case s.ours.Same(s.base):
		return s.theirs, nil
	case s.base.None() && s.ours.Hash == s.theirs.Hash && s.ours.IsFile() && s.theirs.IsFile():
		return s.ours, m.addConflict(s,
			"mode: both added it, here as "+gittree.KindName(s.ours)+", there as "+gittree.KindName(s.theirs))
	case s.base.None() && s.ours.IsFile() && s.theirs.IsFile():
		return m.mergeAdded(s)
	case s.base.None():
		return s.ours, m.addConflict(s, "both added it, with different content")
	case s.ours.None():
		return s.theirs, m.addConflict(s, "deleted on one side: here it is gone, there it was changed")
	case s.theirs.None():
		return s.ours, m.addConflict(s, "deleted on one side: there it is gone, here it was changed")
	case s.base.IsFile() && s.ours.IsFile() && s.theirs.IsFile():
		return m.mergeFile(s)
	case s.ours.IsLink() && s.theirs.IsLink():
		return s.ours, m.addConflict(s, "both changed the link")
	case s.ours.IsFile() && s.theirs.IsFile():
		return s.ours, m.addConflict(s,
			"both changed it from a "+gittree.KindName(s.base)+" to a file, with different content")
	}
	return s.ours, m.addConflict(s,
		"mode: here a "+gittree.KindName(s.ours)+", there a "+gittree.KindName(s.theirs))
}

// mergeAdded returns the node of a file that both sides added with different content: with labels, both
// texts between markers.
func (m *merge) mergeAdded(s *sides) (gittree.Node, error) {
	out := s.ours
	ours, theirs, err := m.readBoth(s)
	if err != nil {
		return out, err
	}
	if diff.IsBinary(ours) || diff.IsBinary(theirs) {
		return out, m.addConflict(s, "binary: both added it, with different content")
	}
	if m.labels != nil {
		marked := m.labels.mark(diff.SplitLines(ours), nil, diff.SplitLines(theirs))
		out.Hash, err = m.put([]byte(strings.Join(marked, "")))
	}
	return out, errors.Join(err, m.addConflict(s, "both added it, with different content"))
}

func (m *merge) readBoth(s *sides) (ours, theirs []byte, err error) {
	if ours, err = m.store.GetTyped(plumbing.BlobObject, s.ours.Hash); err != nil {
		return nil, nil, err
	}
	theirs, err = m.store.GetTyped(plumbing.BlobObject, s.theirs.Hash)
	return ours, theirs, err
}

// addConflict adds a conflict with excerpts of the three texts.
func (m *merge) addConflict(s *sides, why string) error {
	c := Conflict{Path: s.path, Why: why}
	for _, side := range []struct {
		node gittree.Node
		into *string
	}{{s.ours, &c.Ours}, {s.base, &c.Base}, {s.theirs, &c.Theirs}} {
		content, err := gittree.ReadContent(m.store, side.node)
		if err != nil {
			return err
		}
		if !diff.IsBinary(content) {
			*side.into = Excerpt(diff.SplitLines(content))
		}
	}
	m.conflicts = append(m.conflicts, c)
	return nil
}

// mergeFile merges the executable bit and the content separately.
func (m *merge) mergeFile(s *sides) (gittree.Node, error) {
	out := s.ours
	if s.ours.Mode == s.base.Mode {
		out.Mode = s.theirs.Mode
	}
	switch {
	case s.ours.Hash == s.theirs.Hash, s.theirs.Hash == s.base.Hash:
		return out, nil
	case s.ours.Hash == s.base.Hash:
		out.Hash = s.theirs.Hash
		return out, nil
	}
	var text [3][]byte
	for i, n := range []gittree.Node{s.base, s.ours, s.theirs} {
		var err error
		if text[i], err = m.store.GetTyped(plumbing.BlobObject, n.Hash); err != nil {
			return gittree.Node{}, err
		}
		if diff.IsBinary(text[i]) {
			return s.ours, m.addConflict(s, "binary: both changed it")
		}
	}
	merged, conflicts := texts(text[0], text[1], text[2], m.labels)
	for i := range conflicts {
		conflicts[i].Path = s.path
	}
	if m.conflicts = append(m.conflicts, conflicts...); len(conflicts) > 0 && m.labels == nil {
		return s.ours, nil
	}
	var err error
	out.Hash, err = m.put(merged)
	return out, err
}
