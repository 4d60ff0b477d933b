package repo

import (
	"context"
	"errors"
)

// ErrNoHunk says that a number is not one of the diff's hunks.
var ErrNoHunk = errors.New("repo: no such hunk")

// TakeOut puts exactly the numbered hunks back to the base.
func (w *Workspace) TakeOut(ctx context.Context, numbers []int) (took []Hunk, err error) {
	return nil, errors.ErrUnsupported
}
