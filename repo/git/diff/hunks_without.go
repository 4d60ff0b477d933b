package diff

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

func (f *FileHunks) ChooseHunks(numbers []int) (out []hunk) {
	for _, h := range f.Hunks {
		if slices.Contains(numbers, h.Number) {
			out = append(out, h)
		}
	}
	return out
}

// RemoveHunks returns the swap that takes the chosen hunks out of the path. It stores the current
// content too, so that a failed swap can be undone.
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
	s.Want.Hash, s.Want.Mode = s.Is.Hash, f.modeWithout(chosen)
	if edits := editsOf(chosen); len(edits) > 0 {
		s.Want.Hash, err = objects.Put(plumbing.BlobObject, undoEdits(f.old, f.now, edits))
	}
	return s, err
}

// A Version is a possible state of a path.
type Version struct {
	Path       string
	Gone       bool // the path does not exist
	Executable bool
	Content    []byte // for a link, its target
}

// Without returns the path's state when the chosen hunks are taken out, or its current state if none is
// chosen.
func (f *FileHunks) Without(chosen []hunk) Version {
	mode, content := f.modeWithout(chosen), f.After
	if len(chosen) > 0 && chosen[0].whole {
		mode, content = f.Delta.Before.Mode, f.Before
	} else if edits := editsOf(chosen); len(edits) > 0 {
		content = undoEdits(f.old, f.now, edits)
	}
	return Version{Path: f.Path, Gone: mode == 0, Executable: mode == filemode.Executable, Content: content}
}

func (f *FileHunks) modeWithout(chosen []hunk) filemode.FileMode {
	if slices.ContainsFunc(chosen, func(h hunk) bool { return h.Kind == "mode" }) {
		return f.Delta.Before.Mode
	}
	return f.Delta.After.Mode
}

func editsOf(chosen []hunk) (edits []LineEdit) {
	for _, h := range chosen {
		edits = append(edits, h.stretch.edits...)
	}
	return edits
}

// undoEdits returns the new text with the edits replaced by the old lines.
func undoEdits(old, now []string, edits []LineEdit) []byte {
	var out strings.Builder
	at := 0
	put := func(lines []string) {
		for _, line := range lines {
			out.WriteString(line)
		}
	}
	for _, e := range edits {
		put(now[at:e.NewLo])
		put(old[e.Lo:e.Hi])
		at = e.NewHi
	}
	put(now[at:])
	return []byte(out.String())
}
