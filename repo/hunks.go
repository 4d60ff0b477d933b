package repo

import (
	"context"
	"errors"
)

// A Hunk is one stretch of the difference between the base and the files now.
type Hunk struct {
	Number             int // from 1 over the whole diff, in path order
	Path               string
	Kind               string // modified, added, deleted, mode, binary
	Mode               string // as in Change
	OldStart, OldLines int
	NewStart, NewLines int
	Added, Removed     int
	Text               string // unified, with the @@ line; words where there are no lines
}

// Hunks takes the difference with the base apart.
func (w *Workspace) Hunks(ctx context.Context) ([]Hunk, error) {
	return nil, errors.ErrUnsupported
}
