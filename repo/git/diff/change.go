package diff

import (
	"bytes"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// Change is one path that differs from the base.
type Change struct {
	Path string
	Kind string // added, modified, deleted
	// Mode is empty for a plain file whose mode stays the same. Otherwise it holds words: symlink,
	// executable, submodule, "now executable", "file is now a symlink", "too large (1.2 GB)".
	Mode           string
	Added, Removed int // lines
	Binary         bool
}

func (c Change) String() string {
	s := c.Kind + " " + gittree.QuotePath(c.Path)
	if c.Mode != "" {
		s += " (" + c.Mode + ")"
	}
	if c.Binary {
		return s + " binary"
	}
	return fmt.Sprintf("%s +%d -%d", s, c.Added, c.Removed)
}

func NewChange(d *gittree.Delta, before, after []byte) Change {
	c := Change{Path: d.Path, Kind: "modified", Mode: modeWords(d)}
	switch {
	case d.Before.None():
		c.Kind = "added"
	case d.After.None():
		c.Kind = "deleted"
	}
	if c.Binary = d.TooLarge() || IsBinary(before) || IsBinary(after); !c.Binary {
		c.Added, c.Removed = countLines(before, after)
	}
	return c
}

func modeWords(d *gittree.Delta) string {
	if d.TooLarge() {
		return "too large (" + gittree.FormatMegabytes(max(d.Size, d.Kept)) + ")"
	}
	was, is := gittree.KindName(d.Before), gittree.KindName(d.After)
	switch {
	case d.Before.None() || d.After.None():
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

// IsBinary applies git's rule: a zero byte within the first 8000 bytes.
func IsBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
