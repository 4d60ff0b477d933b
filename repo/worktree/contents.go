package worktree

import (
	"context"
	"io/fs"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/gittree"
)

// ReadSides reads both sides of a delta; a file too large to compare counts as empty.
func (w *rootFiles) ReadSides(ctx context.Context, d *gittree.Delta) (before, after []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := gittree.MeasureSide(w.Store, d, d.Before); err != nil {
		return nil, nil, err
	}
	if !d.TooLarge() {
		if before, err = gittree.ReadContent(w.Store, d.Before); err != nil {
			return nil, nil, err
		}
	}
	if d.After.None() || d.Size > gittree.MaxFile {
		return before, nil, nil
	}
	after, err = w.readFile(d)
	return before, after, err
}

// FS is the files for whoever reads by way of [fs.FS]: through Root, so that no link leads
// out, and plain files and folders alone. Opening a pipe that a command has left there
// would wait for ever.
func (w *rootFiles) FS() fs.FS { return disk.PlainFS(w.root) }
