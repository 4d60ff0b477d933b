package history

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

const blameSteps = 20_000

// Blame returns the commit that introduced a line of a file (from 1). It follows only that line back
// and does not follow renames. If ctx ends first, it returns the oldest commit that it reached, which has the
// line, with the error.
func Blame(ctx context.Context, s *objects.Store, c *object.Commit, path string, line int) (Commit, error) {
	h := &history{store: s, path: strings.Trim(path, "/")}
	v, err := h.visitCommit(c)
	if err != nil {
		return Commit{}, err
	}
	if !v.at.IsFile() {
		return Commit{}, &fs.PathError{Op: "blame", Path: path, Err: fs.ErrNotExist}
	}
	content, err := gittree.ReadContent(s, v.at)
	if err != nil {
		return Commit{}, err
	}
	if n := diff.CountLines(string(content)); line < 1 || line > n {
		return Commit{}, fmt.Errorf("git: %s has %d lines, and no line %d", path, n, line)
	}
	for range blameSteps {
		if err := ctx.Err(); err != nil {
			return Of(v.commit), fmt.Errorf("git: blame went back to %.12s: %w", v.commit.Hash, err)
		}
		next, err := h.findOrigin(origin{v, content, line})
		if err != nil {
			return Commit{}, err
		}
		if next == nil {
			return Of(v.commit), nil
		}
		v = next.visit
		content = next.content
		line = next.line
	}
	return Commit{}, fmt.Errorf("git: blame of %s:%d went back too far", path, line)
}

// An origin is a commit that has the line.
type origin struct {
	visit
	content []byte // of the file
	line    int
}

// findOrigin returns the parent that already had the line. It returns nil if the commit itself introduced
// the line.
func (h *history) findOrigin(from origin) (*origin, error) {
	parents, err := h.visitParents(from.commit)
	if err != nil {
		return nil, err
	}
	for _, p := range parents {
		if p.at.Same(from.at) {
			return &origin{p, from.content, from.line}, nil
		}
	}
	for _, p := range parents {
		if !p.at.IsFile() {
			continue
		}
		before, err := gittree.ReadContent(h.store, p.at)
		if err != nil {
			return nil, err
		}
		if at := diff.LineBefore(before, from.content, from.line); at > 0 {
			return &origin{p, before, at}, nil
		}
	}
	return nil, nil
}
