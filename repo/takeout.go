package repo

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// ErrNoHunk says that a number is not one of the diff's hunks.
var ErrNoHunk = errors.New("repo: no such hunk")

// TakeOut puts exactly the numbered hunks back to the base and gives them as
// they were. The numbers are those of Hunks while nothing writes to the files
// in between. All else stays byte for byte. A number that is not there is
// ErrNoHunk, and a file that cannot come back because another one's change
// stands in its place is a *TreeError; both change nothing.
func (w *Workspace) TakeOut(ctx context.Context, numbers []int) (took []Hunk, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var swaps []swap
	stays, last := map[string]bool{}, 0
	err = w.eachFile(ctx, func(f *fileHunks) error {
		last += len(f.hunks)
		chosen := f.chosen(numbers)
		for _, h := range chosen {
			took = append(took, h.Hunk)
		}
		s, err := w.without(f, chosen)
		if err != nil {
			return err
		}
		stays[f.path] = !s.want.none()
		if len(chosen) > 0 {
			swaps = append(swaps, s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if n < 1 || n > last {
			return nil, fmt.Errorf("%w: %d; the diff has %d", ErrNoHunk, n, last)
		}
	}
	if file, below := clash(stays); file != "" {
		return nil, &TreeError{file, fmt.Sprintf("cannot be a file and the folder of %q: take out the hunks of both", below)}
	}
	if err := w.replace(ctx, swaps); err != nil {
		return nil, err
	}
	return took, nil
}

func (f *fileHunks) chosen(numbers []int) (out []hunk) {
	for _, h := range f.hunks {
		if slices.Contains(numbers, h.Number) {
			out = append(out, h)
		}
	}
	return out
}

// without gives what a path becomes when hunks of it are taken out. What it is
// now is kept in the store, for the case that the replacing fails.
func (w *Workspace) without(f *fileHunks, chosen []hunk) (s swap, err error) {
	s = swap{f.path, f.delta.after, f.delta.after}
	if len(chosen) == 0 {
		return s, nil
	}
	if !s.is.none() && f.size <= MaxFile {
		if s.is.hash, err = w.store.put(plumbing.BlobObject, f.after); err != nil {
			return s, err
		}
	}
	if chosen[0].whole {
		s.want = f.delta.before
		return s, nil
	}
	s.want.hash = s.is.hash
	var edits []lineEdit
	for _, h := range chosen {
		if h.Kind == "mode" {
			s.want.mode = f.delta.before.mode
			continue
		}
		edits = append(edits, h.stretch.edits...)
	}
	if len(edits) > 0 {
		s.want.hash, err = w.store.put(plumbing.BlobObject, undo(f.old, f.now, edits))
	}
	return s, err
}

// undo writes the new lines with the old ones in place of the edits.
func undo(old, now []string, edits []lineEdit) []byte {
	var out strings.Builder
	at := 0
	put := func(lines []string) {
		for _, line := range lines {
			out.WriteString(line)
		}
	}
	for _, e := range edits {
		put(now[at:e.newLo])
		put(old[e.lo:e.hi])
		at = e.newHi
	}
	put(now[at:])
	return []byte(out.String())
}

// clash finds a path that would be a file and, for another path, a folder.
func clash(files map[string]bool) (file, below string) {
	for p, there := range files {
		if !there {
			continue
		}
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if files[dir] && (file == "" || dir < file || dir == file && p < below) {
				file, below = dir, p
			}
		}
	}
	return file, below
}

// swap is one path that gets other content. What it is and what it is to be
// are in the store; a file too large for that has no hash.
type swap struct {
	path     string
	is, want node
}

// replace makes all swaps, or puts back what was there where one fails.
func (w *Workspace) replace(ctx context.Context, swaps []swap) error {
	err := w.swapAll(ctx, swaps)
	if err == nil {
		return nil
	}
	back := make([]swap, 0, len(swaps))
	for _, s := range swaps {
		if s.is.none() || !s.is.hash.IsZero() {
			back = append(back, swap{s.path, s.want, s.is})
		}
	}
	return errors.Join(err, w.swapAll(context.WithoutCancel(ctx), back))
}

// swapAll removes from the deepest path up and then writes, so that a folder
// may give way to a file and the reverse.
func (w *Workspace) swapAll(ctx context.Context, swaps []swap) error {
	swaps = slices.Clone(swaps)
	slices.SortFunc(swaps, func(a, b swap) int { return strings.Compare(a.path, b.path) })
	for _, s := range slices.Backward(swaps) {
		if s.want.none() {
			if err := w.removePath(s.path); err != nil {
				return err
			}
		}
	}
	for _, s := range swaps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.want.none() || s.want.mode == submodule && s.is.mode == submodule {
			continue
		}
		if err := w.restoreFile(s.path, s.want); err != nil {
			return err
		}
	}
	return nil
}
