package merge

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Labels name the two sides of a merge in conflict markers.
type Labels struct{ Ours, Theirs string }

// The beginnings of the lines that git writes around a conflict.
const (
	oursMarker   = "<<<<<<< "
	baseMarker   = "||||||| "
	middleMarker = "======="
	theirsMarker = ">>>>>>> "
)

// mark returns the lines of a conflict between markers, with the base's lines in the middle. It returns
// nothing if labels is nil.
func (l *Labels) mark(ours, base, theirs []string) []string {
	if l == nil {
		return nil
	}
	out := []string{oursMarker + l.Ours + "\n"}
	out = append(out, ended(ours)...)
	out = append(out, baseMarker+"before both\n")
	out = append(out, ended(base)...)
	out = append(out, middleMarker+"\n")
	out = append(out, ended(theirs)...)
	return append(out, theirsMarker+l.Theirs+"\n")
}

// ended returns the lines with a line end at the last one.
func ended(lines []string) []string {
	if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		lines = slices.Clone(lines)
		lines[n-1] += "\n"
	}
	return lines
}

// Markers returns the numbers of the lines that begin like a conflict marker, from 1. A line of equal signs
// alone is none: texts have such lines below headings.
func Markers(text []byte) (lines []int) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		for _, marker := range []string{oursMarker, baseMarker, theirsMarker} {
			if bytes.HasPrefix(line, []byte(marker)) {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// ByHand reports whether only a person can resolve the conflict: no text between markers shows both sides, or
// the text is not the content.
func (c Conflict) ByHand() bool {
	for _, kind := range []string{
		"binary", "mode", "file and folder", "in the way", "both changed the link",
	} {
		if strings.HasPrefix(c.Why, kind) {
			return true
		}
	}
	fromLink := strings.HasPrefix(c.Why, "both changed it from a")
	return fromLink || isPointer(c.Ours) || isPointer(c.Theirs)
}

// isPointer reports whether a text is, or is of, a file whose content Git LFS keeps elsewhere.
func isPointer(text string) bool {
	return strings.HasPrefix(text, "version https://git-lfs.github.com/spec/") ||
		strings.HasPrefix(text, "oid sha256:")
}

// An Outcome is what the merge of two trees comes to.
type Outcome struct {
	Conflicts []Conflict
	Contained bool // theirs has all that ours changed
}

// ConflictPaths returns the paths of the conflicts, each once.
func (o Outcome) ConflictPaths() (paths []string) {
	for _, c := range o.Conflicts {
		if !slices.Contains(paths, c.Path) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// Try merges three trees without writing anything.
func Try(ctx context.Context, s *objects.Store, base, ours, theirs plumbing.Hash) (Outcome, error) {
	m := &merge{store: s, dry: true}
	err := m.mergeAll(ctx, base, ours, theirs)
	return Outcome{Conflicts: m.conflicts, Contained: m.contained}, err
}

// Marked merges three trees and returns the merged tree, in which conflicts of texts stand between markers.
// Where one side deleted a file, the other side's file stays.
func Marked(
	ctx context.Context, s *objects.Store, base, ours, theirs plumbing.Hash, l Labels,
) (tree plumbing.Hash, _ []Conflict, _ error) {
	m := &merge{store: s, labels: &l}
	if err := m.mergeAll(ctx, base, ours, theirs); err != nil {
		return tree, nil, err
	}
	var edit gittree.Edit
	for _, swap := range m.swaps {
		edit.Set(strings.Split(swap.Path, "/"), swap.Want)
	}
	tree, err := edit.Apply(s, ours)
	return tree, m.conflicts, err
}

// put stores a blob, or returns its hash alone if nothing is to be written.
func (m *merge) put(content []byte) (plumbing.Hash, error) {
	if m.dry {
		return plumbing.ComputeHash(plumbing.BlobObject, content), nil
	}
	return m.store.Put(plumbing.BlobObject, content)
}
