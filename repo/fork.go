package repo

import (
	"context"
	"errors"
)

// Fork makes or reopens a workspace in dir whose files are this one's as they stand.
func (w *Workspace) Fork(ctx context.Context, dir string) (fork *Workspace, started string, err error) {
	return nil, "", errors.ErrUnsupported
}

// Adopt makes a tree or commit of another workspace of the mirror readable here.
func (w *Workspace) Adopt(ctx context.Context, from *Workspace, tree string) error {
	return errors.ErrUnsupported
}

// SetBase compares the files with another commit from now on.
func (w *Workspace) SetBase(ctx context.Context, commit string) error {
	return errors.ErrUnsupported
}
