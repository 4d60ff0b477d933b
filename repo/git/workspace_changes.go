package git

import (
	"context"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// Changes lists the files that differ from the base, sorted by path: files of the base, and new files
// that no .gitignore names.
func (w *Workspace) Changes(ctx context.Context) ([]diff.Change, error) {
	deltas, err := w.Deltas(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]diff.Change, 0, len(deltas))
	for i := range deltas {
		before, after, err := w.ReadSides(ctx, &deltas[i])
		if err != nil {
			return nil, err
		}
		out = append(out, diff.NewChange(&deltas[i], before, after))
	}
	return out, nil
}

// Compare lists the files that differ between two trees, each named by its whole hash, sorted by path. It
// reads only the folders that differ.
func (w *Workspace) Compare(ctx context.Context, before, after string) ([]gittree.Delta, error) {
	return gittree.Compare(ctx, w.Store, plumbing.NewHash(before), plumbing.NewHash(after), "")
}

// Diff returns the unified diff against the base, in the form that git apply reads.
func (w *Workspace) Diff(ctx context.Context) (string, error) { return w.DiffOf(ctx, nil) }

// DiffOf returns the diff of the paths for which shown returns true; nil means all paths.
func (w *Workspace) DiffOf(ctx context.Context, shown func(path string) bool) (string, error) {
	deltas, err := w.Deltas(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i := range deltas {
		d := &deltas[i]
		if shown != nil && !shown(d.Path) {
			continue
		}
		before, after, err := w.ReadSides(ctx, d)
		if err != nil {
			return "", err
		}
		if err := diff.WriteUnified(&out, d, before, after); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}
