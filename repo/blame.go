package repo

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

const blameSteps = 20_000

// Blame gives the commit that a line of a file (from 1) came with. It follows
// that one line back and does not look through renames.
func (m *Mirror) Blame(ctx context.Context, commit, path string, line int) (Commit, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return Commit{}, err
	}
	h := &history{store: m.store, path: strings.Trim(path, "/")}
	v, err := h.visit(c)
	if err != nil {
		return Commit{}, err
	}
	if !v.at.isFile() {
		return Commit{}, &fs.PathError{Op: "blame", Path: path, Err: fs.ErrNotExist}
	}
	content, err := m.store.content(v.at)
	if err != nil {
		return Commit{}, err
	}
	if n := lines(string(content)); line < 1 || line > n {
		return Commit{}, fmt.Errorf("repo: %s has %d lines, and no line %d", path, n, line)
	}
	for range blameSteps {
		if err := ctx.Err(); err != nil {
			return Commit{}, fmt.Errorf("repo: blame went back to %s: %w", v.commit.Hash.String()[:12], err)
		}
		next, at, err := h.origin(v, content, line)
		if err != nil {
			return Commit{}, err
		}
		if next == nil {
			return commitOf(v.commit), nil
		}
		if !next.at.same(v.at) {
			if content, err = m.store.content(next.at); err != nil {
				return Commit{}, err
			}
		}
		v, line = *next, at
	}
	return Commit{}, fmt.Errorf("repo: blame of %s:%d went back too far", path, line)
}

// origin finds the parent in which the line was already, and where; nil when
// the commit itself brought it.
func (h *history) origin(v visit, content []byte, line int) (*visit, int, error) {
	parents, err := h.parents(v.commit)
	if err != nil {
		return nil, 0, err
	}
	for i := range parents {
		if parents[i].at.same(v.at) {
			return &parents[i], line, nil
		}
	}
	for i := range parents {
		if !parents[i].at.isFile() {
			continue
		}
		before, err := h.store.content(parents[i].at)
		if err != nil {
			return nil, 0, err
		}
		if at := lineBefore(before, content, line); at > 0 {
			return &parents[i], at, nil
		}
	}
	return nil, 0, nil
}

// lineBefore gives the number that a line of after had in before; 0 for a new one.
func lineBefore(before, after []byte, line int) int {
	was, is := 0, 0
	for _, part := range lineDiff(before, after) {
		n := lines(part.Text)
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			was += n
		case diffmatchpatch.DiffInsert:
			if is += n; line <= is {
				return 0
			}
		case diffmatchpatch.DiffEqual:
			if line <= is+n {
				return was + line - is
			}
			was, is = was+n, is+n
		}
	}
	return 0
}
