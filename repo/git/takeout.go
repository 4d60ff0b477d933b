package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// errNoHunk says that a number names no hunk of the diff.
var errNoHunk = errors.New("git: no such hunk")

// TakeOut reverts exactly the numbered hunks to the base and returns them as they were. The numbers are
// those of ListHunks, valid while nothing has written to the files since. All else stays byte for byte.
// An unknown number is errNoHunk, and a file that cannot come back because another change is in its
// place is a *gittree.PathError. After either error nothing has changed.
func (w *Workspace) TakeOut(ctx context.Context, numbers []int) (took []diff.Hunk, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var swaps []gittree.Swap
	stays := map[string]bool{}
	last := 0
	err = w.eachFile(ctx, func(f *diff.FileHunks) error {
		last += len(f.Hunks)
		chosen := f.ChooseHunks(numbers)
		for _, h := range chosen {
			took = append(took, h.Hunk)
		}
		s, err := f.RemoveHunks(w.Store, chosen)
		if err != nil {
			return err
		}
		stays[f.Path] = !s.Want.None()
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
			return nil, fmt.Errorf("%w: %d; the diff has %d", errNoHunk, n, last)
		}
	}
	if err := clash(stays); err != nil {
		return nil, err
	}
	if err := w.SwapFiles(ctx, swaps); err != nil {
		return nil, err
	}
	return took, nil
}

// Without returns the content that the paths of the numbered hunks would have after TakeOut, and writes
// nothing. Its errors are those of TakeOut, except that it ignores unknown numbers.
func (w *Workspace) Without(ctx context.Context, numbers []int) (out []diff.Version, err error) {
	stays := map[string]bool{}
	err = w.eachFile(ctx, func(f *diff.FileHunks) error {
		chosen := f.ChooseHunks(numbers)
		v := f.Without(chosen)
		stays[f.Path] = !v.Gone
		if len(chosen) > 0 {
			out = append(out, v)
		}
		return nil
	})
	if err == nil {
		err = clash(stays)
	}
	return out, err
}

// clash returns an error if a path would have to be both a file and a folder.
func clash(stays map[string]bool) error {
	if file, below := gittree.FindClash(stays); file != "" {
		return &gittree.PathError{
			Path:   file,
			Reason: fmt.Sprintf("cannot be a file and the folder of %q: take out the hunks of both", below),
		}
	}
	return nil
}

// ListHunks splits the difference from the base into hunks. They are finer than those of Diff: two
// edits are two hunks as soon as a line with a letter or digit lies between them, so that each can be
// judged and taken out alone. A file that is added, deleted, binary, or not plain on both sides is one
// hunk. A change of the executable bit is a separate hunk from the changed lines of the same file.
func (w *Workspace) ListHunks(ctx context.Context) ([]diff.Hunk, error) {
	out := []diff.Hunk{}
	err := w.eachFile(ctx, func(f *diff.FileHunks) error {
		for i := range f.Hunks {
			out = append(out, f.Hunks[i].Hunk)
		}
		return nil
	})
	return out, err
}

// eachFile calls visit for each path that differs, in path order, and reads one file's content at a
// time.
func (w *Workspace) eachFile(ctx context.Context, visit func(*diff.FileHunks) error) error {
	deltas, err := w.Deltas(ctx)
	if err != nil {
		return err
	}
	number := 0
	for i := range deltas {
		f := &diff.FileHunks{Delta: &deltas[i]}
		if f.Before, f.After, err = w.ReadSides(ctx, f.Delta); err != nil {
			return err
		}
		f.SplitHunks()
		for j := range f.Hunks {
			number++
			f.Hunks[j].Number = number
			f.Hunks[j].Path = f.Path
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}
