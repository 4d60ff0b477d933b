package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A Found is what a Reference leads to.
type Found struct {
	Reference Reference
	Label     string // for people: shop#412 with 6 comments
	What      string // what it is, for agents: an issue at GitHub
	// Refused says why it was not read, and what to do; empty: it was read
	Refused string
	Absent  bool // there is no such thing, or the credential may not see it

	head   string // lines about it
	body   string // what its author wrote, or the text itself
	pieces []piece
	left   string // what was not even read; empty: nothing
}

// A piece is a part of a Found, such as a comment, of which the newest ones count most.
type piece struct {
	title, text string
	end         bool // the end of text counts most
}

// Sum identifies the content: it changes when something was written, closed or run again.
func (f Found) Sum() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q%q%q", f.head, f.body, f.left)
	for _, p := range f.pieces {
		fmt.Fprintf(sum, "%q%q", p.title, p.text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// maxHead is how many bytes the lines about a Found have.
const maxHead = 2000

// Text returns the content in about most bytes: the lines about it, the beginning of its body, and the newest
// pieces. It says what is left out. mask masks secrets, before anything is cut. What others wrote is
// indented, so that it cannot pass for a title.
func (f Found) Text(most int, mask func(string) string) string {
	c := cutter{mask}
	head := c.cut(f.head, min(maxHead, most/2), false)
	most -= len(head)
	share := most
	if len(f.pieces) > 0 {
		share = most / 2
	}
	body := c.cut(f.body, share, false)
	most -= len(body)
	kept := c.newest(f.pieces, most)
	parts := []string{head}
	if body != "" {
		parts = append(parts, "  "+prompt.Indent(body))
	}
	if left := len(f.pieces) - len(kept); left > 0 {
		parts = append(parts,
			fmt.Sprintf("(cut: %s before what follows)", plaintext.CountNoun(left, "more part")))
	}
	parts = append(parts, kept...)
	if f.left != "" {
		parts = append(parts, "("+f.left+")")
	}
	return strings.Join(parts, "\n\n")
}

// minPiece is how many bytes of a piece are shown at least.
const minPiece = 300

// A cutter cuts texts whose secrets it masks first, so that no part of one is left.
type cutter struct{ mask func(string) string }

// newest returns the texts of the newest pieces, of which each may take half of what is left.
func (c cutter) newest(pieces []piece, most int) (kept []string) {
	for i := len(pieces) - 1; i >= 0 && most > minPiece; i-- {
		p := pieces[i]
		text := p.title
		if p.text != "" {
			text += "\n  " + prompt.Indent(c.cut(p.text, max(minPiece, most/2), p.end))
		}
		kept = append(kept, text)
		most -= len(text)
	}
	slices.Reverse(kept)
	return kept
}

// maxSecret is how many bytes beyond a cut are masked, too: a secret that the cut would divide.
const maxSecret = 8 << 10

// cut returns the beginning or the end of a text, masked, and says how much is left out.
func (c cutter) cut(text string, most int, end bool) string {
	text = strings.TrimSpace(text)
	whole := len(text)
	if end {
		text = c.mask(text[max(0, whole-most-maxSecret):])
	} else {
		text = c.mask(text[:min(whole, most+maxSecret)])
	}
	if len(text) <= most {
		return strings.ToValidUTF8(text, "")
	}
	said := fmt.Sprintf("(cut: about %s bytes more)", plaintext.FormatCount(max(whole, len(text))-most))
	if end {
		return said + "\n" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return strings.ToValidUTF8(text[:most], "") + "\n" + said
}
