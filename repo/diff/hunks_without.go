package diff

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/objects"
)

func (f *FileHunks) ChooseHunks(numbers []int) (out []hunk) {
	for _, h := range f.Hunks {
		if slices.Contains(numbers, h.Number) {
			out = append(out, h)
		}
	}
	return out
}

// RemoveHunks gives what a path becomes when hunks of it are taken out. What it is
// now is kept in the store, for the case that the replacing fails.
func (f *FileHunks) RemoveHunks(objects *objects.Store, chosen []hunk) (s gittree.Swap, err error) {
	s = gittree.Swap{Path: f.Path, Is: f.Delta.After, Want: f.Delta.After}
	if len(chosen) == 0 {
		return s, nil
	}
	if !s.Is.None() && f.Size <= gittree.MaxFile {
		if s.Is.Hash, err = objects.Put(plumbing.BlobObject, f.After); err != nil {
			return s, err
		}
	}
	if chosen[0].whole {
		s.Want = f.Delta.Before
		return s, nil
	}
	s.Want.Hash = s.Is.Hash
	var edits []LineEdit
	for _, h := range chosen {
		if h.Kind == "mode" {
			s.Want.Mode = f.Delta.Before.Mode
			continue
		}
		edits = append(edits, h.stretch.edits...)
	}
	if len(edits) > 0 {
		s.Want.Hash, err = objects.Put(plumbing.BlobObject, undoEdits(f.old, f.now, edits))
	}
	return s, err
}

// undoEdits writes the new lines with the old ones in place of the edits.
func undoEdits(old, now []string, edits []LineEdit) []byte {
	var out strings.Builder
	at := 0
	put := func(lines []string) {
		for _, line := range lines {
			out.WriteString(line)
		}
	}
	for _, e := range edits {
		put(now[at:e.newLo])
		put(old[e.Lo:e.Hi])
		at = e.NewHi
	}
	put(now[at:])
	return []byte(out.String())
}
