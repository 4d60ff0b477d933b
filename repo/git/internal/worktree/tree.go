package worktree

import (
	"context"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// Tree stores the current files in the session's own object store and returns the hash of their tree. It
// writes only changed blobs and the trees of the folders on their paths.
func (w *Worktree) Tree(ctx context.Context) (string, error) {
	base, deltas, err := w.deltasTo(ctx)
	if err != nil {
		return "", err
	}
	edits := &gittree.Edit{}
	for i := range deltas {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := w.storeBlob(&deltas[i])
		if err != nil {
			return "", err
		}
		edits.Set(strings.Split(deltas[i].Path, "/"), n)
	}
	h, err := edits.Apply(w.Store, base)
	return h.String(), err
}

// storeBlob stores the current content of the path of d as a blob and returns its node.
func (w *rootFiles) storeBlob(d *gittree.Delta) (gittree.Node, error) {
	if d.After.None() {
		return gittree.Node{}, nil
	}
	for part := range strings.SplitSeq(d.Path, "/") {
		if err := gittree.CheckName(part); err != nil {
			return gittree.Node{}, &gittree.PathError{Path: d.Path, Reason: err.Error()}
		}
	}
	if d.TooLarge() {
		return gittree.Node{}, gittree.TooLargeError(d.Path, d.Size)
	}
	content, err := w.readFile(d)
	if err != nil {
		return gittree.Node{}, err
	}
	h, err := w.Store.Put(plumbing.BlobObject, content)
	return gittree.Node{Mode: d.After.Mode, Hash: h}, err
}
