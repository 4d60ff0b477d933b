package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// SwapFiles makes all swaps. If one fails, it undoes them and returns the error; a swap whose old content
// has no hash is not undone.
func (w *Worktree) SwapFiles(ctx context.Context, swaps []gittree.Swap) error {
	err := w.swapAll(ctx, swaps)
	if err == nil {
		return nil
	}
	back := make([]gittree.Swap, 0, len(swaps))
	for _, s := range swaps {
		if s.Is.None() || !s.Is.Hash.IsZero() {
			back = append(back, gittree.Swap{Path: s.Path, Is: s.Want, Want: s.Is})
		}
	}
	return errors.Join(err, w.swapAll(context.WithoutCancel(ctx), back))
}

// swapAll first removes files, from the deepest path up, and then writes. So a folder can be replaced by a
// file, and a file by a folder.
func (w *rootFiles) swapAll(ctx context.Context, swaps []gittree.Swap) error {
	swaps = slices.Clone(swaps)
	slices.SortFunc(swaps, func(a, b gittree.Swap) int { return strings.Compare(a.Path, b.Path) })
	for _, s := range slices.Backward(swaps) {
		if s.Want.None() {
			if err := w.removePath(s.Path); err != nil {
				return err
			}
		}
	}
	for _, s := range swaps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.Want.None() || s.Want.Mode == gittree.Submodule && s.Is.Mode == gittree.Submodule {
			continue
		}
		if err := w.restoreFile(s.Path, s.Want); err != nil {
			return err
		}
	}
	return nil
}
