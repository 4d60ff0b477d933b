package merge

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

const (
	maxRenames    = 40_000  // pairs of texts above which only files with the same content are paired
	maxRenameSize = 1 << 20 // bytes of a file that is compared
	renameChunk   = 64      // bytes of a line that are compared at once, as git does
)

// A rename is what one side did to a file that the other side changed.
type rename struct {
	from  string
	there bool // theirs renamed it
}

// sayIn adds the old name to conflicts of the file. It does nothing if r is nil.
func (r *rename) sayIn(conflicts []Conflict) {
	if r == nil {
		return
	}
	side := "here"
	if r.there {
		side = "there"
	}
	for i := range conflicts {
		c := &conflicts[i]
		c.Why += "; renamed " + side + " from " + gittree.QuotePath(r.from)
		c.Renamed = append(c.Renamed, r.from)
	}
}

// followRenames finds the files that a side renamed while the other side changed, renamed or deleted them.
// What one side changed in a file is put where the other side moved it. Renames to different names, and the
// rename of a file that is deleted on the other side, are conflicts: by their paths alone they merge.
func (m *merge) followRenames(all map[string]*sides) error {
	here, err := m.pairRenamed(all, false)
	if err != nil {
		return err
	}
	there, err := m.pairRenamed(all, true)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		s := all[p]
		q := here[p]
		r := there[p]
		switch {
		case q != "" && q == r:
			all[q].base = s.base
		case q != "" && r != "":
			m.addRenamed(p, "renamed on both sides: here to "+gittree.QuotePath(q)+", there to "+
				gittree.QuotePath(r), q, r)
		case q != "" && all[q].theirs.None():
			m.followOne(all, s, q, false)
		case r != "" && all[r].ours.None():
			m.followOne(all, s, r, true)
		}
	}
	return nil
}

// followOne puts the other side's change of s to the new path of a file that one side renamed.
func (m *merge) followOne(all map[string]*sides, s *sides, to string, there bool) {
	moved := all[to]
	switch {
	case !there && s.theirs.None():
		m.addRenamed(s.path,
			"deleted on one side: there it is gone, here it was renamed to "+gittree.QuotePath(to), to)
	case there && s.ours.None():
		m.addRenamed(s.path,
			"deleted on one side: here it is gone, there it was renamed to "+gittree.QuotePath(to), to)
	case !there && s.theirs.IsFile():
		moved.base = s.base
		moved.theirs = s.theirs
		moved.renamed = &rename{from: s.path}
		s.theirs = gittree.Node{}
	case there && s.ours.IsFile():
		moved.base = s.base
		moved.ours = s.ours
		moved.renamed = &rename{from: s.path, there: true}
		s.base = s.ours // so that theirs counts, which deleted it
	}
}

func (m *merge) addRenamed(p, why string, names ...string) {
	m.conflicts = append(m.conflicts, Conflict{Path: p, Why: why, Renamed: names})
}

// pairRenamed returns the new names of the files that one side renamed and the other side changed, renamed or
// deleted, by the old names.
func (m *merge) pairRenamed(all map[string]*sides, there bool) (map[string]string, error) {
	side := func(s *sides) (mine, other gittree.Node) {
		if there {
			return s.theirs, s.ours
		}
		return s.ours, s.theirs
	}
	var gone, added []string
	exact := map[plumbing.Hash][]string{} // the files that this side has no more
	for _, p := range slices.Sorted(maps.Keys(all)) {
		s := all[p]
		switch mine, other := side(s); {
		case s.base.None() && mine.IsFile():
			added = append(added, p)
		case s.base.IsFile() && mine.None():
			exact[s.base.Hash] = append(exact[s.base.Hash], p)
			if !other.Same(s.base) {
				gone = append(gone, p)
			}
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	pairs := map[string]string{}
	var rest []string
	for _, q := range added {
		mine, _ := side(all[q])
		from := exact[mine.Hash]
		if len(from) == 0 {
			rest = append(rest, q)
			continue
		}
		i := max(0, slices.IndexFunc(from, func(p string) bool { return path.Base(p) == path.Base(q) }))
		if slices.Contains(gone, from[i]) {
			pairs[from[i]] = q
		}
		exact[mine.Hash] = slices.Delete(from, i, i+1)
	}
	gone = slices.DeleteFunc(gone, func(p string) bool { return pairs[p] != "" })
	if len(gone)*len(rest) > maxRenames {
		return pairs, nil
	}
	node := func(p string) gittree.Node {
		mine, _ := side(all[p])
		return mine
	}
	return pairs, m.pairAlike(all, gone, rest, node, pairs)
}

// pairAlike adds the pairs of files that have at least half of their text in common, the most alike first.
func (m *merge) pairAlike(
	all map[string]*sides, gone, added []string, node func(path string) gittree.Node, pairs map[string]string,
) error {
	type pair struct {
		from, to string
		score    float64
		sameName bool
	}
	texts := map[string][]string{} // of what was added
	var found []pair
	for _, p := range gone {
		before, err := m.readSmall(all[p].base)
		if err != nil {
			return err
		}
		for _, q := range added {
			after, read := texts[q]
			if !read {
				if after, err = m.readSmall(node(q)); err != nil {
					return err
				}
				texts[q] = after
			}
			if score := alike(before, after); score >= 0.5 {
				found = append(found, pair{p, q, score, path.Base(p) == path.Base(q)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b pair) int {
		if a.sameName != b.sameName && a.score == b.score {
			if a.sameName {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.score, a.score)
	})
	taken := map[string]bool{}
	for _, f := range found {
		if pairs[f.from] == "" && !taken[f.to] {
			pairs[f.from] = f.to
			taken[f.to] = true
		}
	}
	return nil
}

// readSmall returns the lines of a text file that is small enough to compare, long ones in chunks, otherwise
// nil.
func (m *merge) readSmall(n gittree.Node) (chunks []string, err error) {
	size, err := m.store.EncodedObjectSize(n.Hash)
	if err != nil || size > maxRenameSize {
		return nil, err
	}
	text, err := m.store.GetTyped(plumbing.BlobObject, n.Hash)
	if err != nil || diff.IsBinary(text) {
		return nil, err
	}
	for _, line := range diff.SplitLines(text) {
		for len(line) > renameChunk {
			chunks = append(chunks, line[:renameChunk])
			line = line[renameChunk:]
		}
		chunks = append(chunks, line)
	}
	return chunks, nil
}

// alike returns the share of the longer text that both have, wherever it stands, from 0 to 1.
func alike(a, b []string) float64 {
	count := make(map[string]int, len(a))
	sizeA := 0
	for _, line := range a {
		count[line]++
		sizeA += len(line)
	}
	sizeB := 0
	shared := 0
	for _, line := range b {
		sizeB += len(line)
		if count[line] > 0 {
			count[line]--
			shared += len(line)
		}
	}
	if sizeA == 0 || sizeB == 0 {
		return 0
	}
	return float64(shared) / float64(max(sizeA, sizeB))
}
