package repo

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/diff"
	"github.com/bobbinhq/bobbin/repo/gittree"
)

// errNoHunk says that a number is not one of the diff's hunks.
var errNoHunk = errors.New("repo: no such hunk")

// TakeOut puts exactly the numbered hunks back to the base and gives them as
// they were. The numbers are those of Hunks while nothing writes to the files
// in between. All else stays byte for byte. A number that is not there is
// ErrNoHunk, and a file that cannot come back because another one's change
// stands in its place is a *gittree.PathError; both change nothing.
func (w *Workspace) TakeOut(ctx context.Context, numbers []int) (took []diff.Hunk, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var swaps []gittree.Swap
	stays, last := map[string]bool{}, 0
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

// Without gives what the paths of the numbered hunks are when these are taken out, and writes
// nothing. Its errors are those of TakeOut.
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

// clash is the error of a file that would have to be a folder, too.
func clash(stays map[string]bool) error {
	if file, below := gittree.FindClash(stays); file != "" {
		return &gittree.PathError{Path: file, Reason: fmt.Sprintf("cannot be a file and the folder of %q: take out the hunks of both", below)}
	}
	return nil
}

// ListHunks takes the difference with the base apart. It is finer than Diff: two
// edits are two hunks as soon as a line with a word in it stands between them,
// so that each can be judged and taken out alone. What is added, deleted,
// binary, or not a plain file on both sides is one hunk; so is a change of the
// executable bit, which stands apart from the changed lines of the same file.
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

// eachFile visits what differs in path order, one file's content at a time.
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
			f.Hunks[j].Number, f.Hunks[j].Path = number, f.Path
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}
