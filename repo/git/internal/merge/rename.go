package merge

import (
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

const (
	maxRenames    = 200     // paths of one kind above which renames are not looked for
	maxRenameSize = 1 << 20 // bytes of a file that is compared
)

// findRenames adds a conflict for each file that both sides renamed, to different names: by its paths alone
// that merges, and the content would be there twice.
func (m *merge) findRenames(all map[string]*sides) error {
	var gone, ours, theirs []string
	for _, p := range slices.Sorted(maps.Keys(all)) {
		switch s := all[p]; {
		case s.base.IsFile() && s.ours.None() && s.theirs.None():
			gone = append(gone, p)
		case s.base.None() && s.ours.IsFile() && s.theirs.None():
			ours = append(ours, p)
		case s.base.None() && s.theirs.IsFile() && s.ours.None():
			theirs = append(theirs, p)
		}
	}
	if len(ours) == 0 || len(theirs) == 0 || max(len(gone), len(ours), len(theirs)) > maxRenames {
		return nil
	}
	for _, p := range gone {
		here, err := m.renamed(all[p].base, ours, func(p string) gittree.Node { return all[p].ours })
		if err != nil {
			return err
		}
		there, err := m.renamed(all[p].base, theirs, func(p string) gittree.Node { return all[p].theirs })
		if err != nil {
			return err
		}
		if here != "" && there != "" {
			m.conflicts = append(m.conflicts, Conflict{
				Path: p,
				Why: "renamed on both sides: here to " + gittree.QuotePath(here) + ", there to " +
					gittree.QuotePath(there),
				Renamed: []string{here, there},
			})
		}
	}
	return nil
}

// renamed returns the path among added whose file is most like the one that is gone, or an empty string if
// none has half of its lines.
func (m *merge) renamed(
	gone gittree.Node, added []string, node func(path string) gittree.Node,
) (found string, err error) {
	before, err := m.readSmall(gone)
	if err != nil || before == nil {
		return "", err
	}
	best := 0
	for _, p := range added {
		n := node(p)
		if n.Hash == gone.Hash {
			return p, nil
		}
		after, err := m.readSmall(n)
		if err != nil {
			return "", err
		}
		if alike := sharedLines(before, after); alike > best && 2*alike >= len(before) &&
			2*alike >= len(after) {
			best = alike
			found = p
		}
	}
	return found, nil
}

// readSmall returns the lines of a text file that is small enough to compare, otherwise nil.
func (m *merge) readSmall(n gittree.Node) ([]string, error) {
	size, err := m.store.EncodedObjectSize(n.Hash)
	if err != nil || size > maxRenameSize {
		return nil, err
	}
	text, err := m.store.GetTyped(plumbing.BlobObject, n.Hash)
	if err != nil || diff.IsBinary(text) {
		return nil, err
	}
	return diff.SplitLines(text), nil
}

// sharedLines returns how many lines two texts have in common, wherever these stand.
func sharedLines(a, b []string) (shared int) {
	count := make(map[string]int, len(a))
	for _, line := range a {
		count[line]++
	}
	for _, line := range b {
		if count[line] > 0 {
			count[line]--
			shared++
		}
	}
	return shared
}
