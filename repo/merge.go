package repo

import (
	"context"
	"errors"
)

// Conflict is one place where two sides changed the same in different ways.
type Conflict struct {
	Path               string
	Why                string // both changed lines 10-14; deleted on one side …; both added …; binary …; mode …
	Ours, Base, Theirs string // short excerpts, for text
}

// Merge brings what changed between the trees or commits base and theirs into the files.
func (w *Workspace) Merge(ctx context.Context, from *Workspace, base, theirs string) ([]Conflict, error) {
	return nil, errors.ErrUnsupported
}

// MergeBase is the nearest common ancestor of two commits; "" when unrelated.
func (m *Mirror) MergeBase(ctx context.Context, a, b string) (string, error) {
	return "", errors.ErrUnsupported
}

// MergeBase also finds commits of the session's own.
func (w *Workspace) MergeBase(ctx context.Context, a, b string) (string, error) {
	return "", errors.ErrUnsupported
}
