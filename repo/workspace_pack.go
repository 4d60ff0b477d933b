package repo

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/bundle"
)

// Pack gives what another machine with a mirror of its own needs for the named
// trees and commits (whole hashes), as a git pack without deltas. Left out are
// the objects of the base and, below a commit, whatever the mirror has: where
// the base is the session's own commit, its nearest ancestors in the mirror
// take its place. An object comes after those that it names, and the same roots
// give the same bytes. More than limit bytes (0: 64 MiB) is a *bundle.Error.
func (w *Workspace) Pack(ctx context.Context, limit int64, roots ...string) ([]byte, error) {
	return bundle.Pack(ctx, w.Store, plumbing.NewHash(w.Base()), limit, roots...)
}

// Unpack puts a pack that Pack gave into this workspace's own objects, so that
// Restore, Commit and SetBase know what it holds; no file changes. Only blobs,
// trees and commits are taken, each sound by itself and after all that it
// names. A pack that is not so is a *bundle.Error, and nothing of it is kept.
func (w *Workspace) Unpack(ctx context.Context, pack []byte) error {
	return bundle.Unpack(ctx, w.Store, pack)
}
