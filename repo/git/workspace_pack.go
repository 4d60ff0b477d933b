package git

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
)

// Pack returns the objects that another machine with its own mirror needs for the named trees and
// commits (whole hashes), as a git pack without deltas. It leaves out the objects of the base and, below
// a named commit, the commits that the mirror has and that are not named. If the base is the session's own
// commit, its nearest ancestors in the mirror take its place. An object comes after those that it names, and
// the same roots give the same bytes. A pack of more than limit bytes (0: 64 MiB) is a *bundle.Error.
func (w *Workspace) Pack(ctx context.Context, limit int64, roots ...string) ([]byte, error) {
	return bundle.Pack(ctx, w.Store, plumbing.NewHash(w.Base()), limit, roots...)
}

// Unpack stores the objects of a pack made by Pack in this workspace, so that Restore, Commit and
// SetBase can use them. It changes no file. It accepts only blobs, trees and commits, each valid by
// itself and after all objects that it names. Any other pack is a *bundle.Error, and nothing of it is
// stored.
func (w *Workspace) Unpack(ctx context.Context, pack []byte) error {
	return bundle.Unpack(ctx, w.Store, pack)
}

// OwnCommits returns the commits of the session's branch, newest first: head and its first parents, down to one of
// the bases.
func (w *Workspace) OwnCommits(head string, bases ...string) ([]string, error) {
	return bundle.OwnCommits(w.Store, head, bases...)
}
