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
// and does not follow renames.
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
			return Commit{}, fmt.Errorf("git: blame went back to %s: %w", v.commit.Hash.String()[:12], err)
		}
		next, at, err := h.findOrigin(v, content, line)
		if err != nil {
			return Commit{}, err
		}
		if next == nil {
			return Of(v.commit), nil
		}
		if !next.at.Same(v.at) {
			if content, err = gittree.ReadContent(s, next.at); err != nil {
				return Commit{}, err
			}
		}
		v = *next
		line = at
	}
	return Commit{}, fmt.Errorf("git: blame of %s:%d went back too far", path, line)
}

// findOrigin returns the parent that already had the line, and the line's number there. It returns nil
// if the commit itself introduced the line.
func (h *history) findOrigin(v visit, content []byte, line int) (*visit, int, error) {
	parents, err := h.visitParents(v.commit)
	if err != nil {
		return nil, 0, err
	}
	for i := range parents {
		if parents[i].at.Same(v.at) {
			return &parents[i], line, nil
		}
	}
	for i := range parents {
		if !parents[i].at.IsFile() {
			continue
		}
		before, err := gittree.ReadContent(h.store, parents[i].at)
		if err != nil {
			return nil, 0, err
		}
		if at := diff.LineBefore(before, content, line); at > 0 {
			return &parents[i], at, nil
		}
	}
	return nil, 0, nil
}
