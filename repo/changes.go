package repo

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Change is one path that differs from the base.
type Change struct {
	Path string
	Kind string // added, modified, deleted
	// Mode is empty for a plain file whose mode stays; else words: symlink,
	// executable, submodule, "now executable", "file is now a symlink",
	// "too large (1.2 GB)".
	Mode           string
	Added, Removed int // lines
	Binary         bool
}

func (c Change) String() string {
	s := c.Kind + " " + quote(c.Path)
	if c.Mode != "" {
		s += " (" + c.Mode + ")"
	}
	if c.Binary {
		return s + " binary"
	}
	return fmt.Sprintf("%s +%d -%d", s, c.Added, c.Removed)
}

// Changes lists what differs from the base, sorted by path: files that the
// base holds, and new ones that no .gitignore names.
func (w *Workspace) Changes(ctx context.Context) ([]Change, error) {
	deltas, err := w.deltas(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(deltas))
	for i := range deltas {
		before, after, err := w.contents(ctx, &deltas[i])
		if err != nil {
			return nil, err
		}
		out = append(out, change(&deltas[i], before, after))
	}
	return out, nil
}

// Diff is the unified diff against the base, in the form that git apply reads.
func (w *Workspace) Diff(ctx context.Context) (string, error) {
	deltas, err := w.deltas(ctx)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for i := range deltas {
		d := &deltas[i]
		before, after, err := w.contents(ctx, d)
		if err != nil {
			return "", err
		}
		if err := writeDiff(&out, d, before, after); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// contents reads both sides of a delta; a file too large to compare counts as empty.
func (w *Workspace) contents(ctx context.Context, d *delta) (before, after []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := w.store.weigh(d, d.before); err != nil {
		return nil, nil, err
	}
	if !d.tooLarge() {
		if before, err = w.store.content(d.before); err != nil {
			return nil, nil, err
		}
	}
	if d.after.none() || d.size > MaxFile {
		return before, nil, nil
	}
	after, err = w.read(d)
	return before, after, err
}

// content is the blob of a node; a submodule's is the line that git shows.
func (s *store) content(n node) ([]byte, error) {
	switch {
	case n.none():
		return nil, nil
	case n.mode == filemode.Submodule:
		return []byte("Subproject commit " + n.hash.String() + "\n"), nil
	}
	return s.typed(plumbing.BlobObject, n.hash)
}

func change(d *delta, before, after []byte) Change {
	c := Change{Path: d.path, Kind: "modified", Mode: modeWords(d)}
	switch {
	case d.before.none():
		c.Kind = "added"
	case d.after.none():
		c.Kind = "deleted"
	}
	if c.Binary = d.tooLarge() || isBinary(before) || isBinary(after); !c.Binary {
		c.Added, c.Removed = countLines(before, after)
	}
	return c
}

func modeWords(d *delta) string {
	if d.tooLarge() {
		return "too large (" + megabytes(max(d.size, d.kept)) + ")"
	}
	was, is := kindWord(d.before), kindWord(d.after)
	switch {
	case d.before.none() || d.after.none():
		if word := was + is; word != "file" {
			return word
		}
		return ""
	case was == is && is == "file":
		return ""
	case was == is:
		return is
	case was == "file" && is == "executable":
		return "now executable"
	case was == "executable" && is == "file":
		return "no longer executable"
	}
	return was + " is now a " + is
}

func kindWord(n node) string {
	switch n.mode {
	case 0:
		return ""
	case filemode.Symlink:
		return "symlink"
	case filemode.Executable:
		return "executable"
	case filemode.Submodule:
		return "submodule"
	}
	return "file"
}

// isBinary is git's own rule: a zero byte near the start.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
