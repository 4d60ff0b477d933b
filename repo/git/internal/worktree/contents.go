package worktree

import (
	"context"
	"io/fs"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// ReadSides returns the contents of both sides of a delta. The content of a file that is too large to
// compare is empty.
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

// FS returns the files as an [fs.FS]. It goes through the os.Root, so no link leads out, and it opens plain
// files and folders only: opening a pipe that a command left there would block for ever.
func (w *rootFiles) FS() fs.FS { return disk.PlainFS(w.root) }
