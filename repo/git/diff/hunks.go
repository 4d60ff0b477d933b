package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// A Hunk is one stretch of the difference between the base and the current files.
type Hunk struct {
	Number             int // from 1 over the whole diff, in path order
	Path               string
	Kind               string // modified, added, deleted, mode, binary
	Mode               string // as in Change
	OldStart, OldLines int    // with the context lines, as in the @@ line
	NewStart, NewLines int
	Added, Removed     int
	Text               string // unified, with the @@ line; a few words if no lines can be shown
}

func (h Hunk) String() string {
	s := fmt.Sprintf("%d %s %s", h.Number, h.Kind, gittree.QuotePath(h.Path))
	if h.Mode != "" {
		s += " (" + h.Mode + ")"
	}
	if h.Kind == "modified" && h.NewLines > 0 {
		s += fmt.Sprintf(" lines %d-%d", h.NewStart, h.NewStart+h.NewLines-1)
	}
	return s + fmt.Sprintf(" +%d -%d", h.Added, h.Removed)
}

// Line returns the number, in the current file, of the first line that a hunk changes or before which
// it removes lines. It returns 0 if the hunk is the path as a whole.
func (h Hunk) Line() int {
	if h.Kind != "modified" {
		return 0
	}
	line := h.NewStart
	if h.NewLines == 0 { // git names the line before
		line++
	}
	for text := range strings.Lines(h.Text) {
		switch text[0] {
		case ' ':
			line++
		case '+', '-':
			return line
		}
	}
	return line
}

// FileHunks is one path that differs, split into hunks.
type FileHunks struct {
	*gittree.Delta
	Before, After []byte
	old, now      []string // lines of a text that is split
	Hunks         []hunk
}

type hunk struct {
	Hunk
	whole   bool // the whole path, content and mode
	stretch stretch
}

// stretch is a run of edits that are shown and taken out together.
type stretch struct {
	LineEdit
	edits []LineEdit
}

func (f *FileHunks) SplitHunks() {
	textual := !f.TooLarge() && !IsBinary(f.Before) && !IsBinary(f.After)
	switch {
	case f.TooLarge() || !f.Delta.Before.IsFile() || !f.Delta.After.IsFile():
		f.addWhole(textual)
	case f.Delta.Before.Hash == f.Delta.After.Hash:
		f.addMode()
	case !textual:
		f.addWhole(false)
	default:
		if !gittree.SameMode(f.Delta.Before.Mode, f.Delta.After.Mode) {
			f.addMode()
		}
		f.addStretches()
	}
}

func (f *FileHunks) addMode() {
	words := modeWords(f.Delta)
	f.Hunks = append(f.Hunks, hunk{Hunk: Hunk{Kind: "mode", Mode: words, Text: words + "\n"}})
}

// addWhole makes the whole path one hunk, with its lines if they can be shown.
func (f *FileHunks) addWhole(textual bool) {
	h := Hunk{Kind: "modified", Mode: modeWords(f.Delta)}
	switch {
	case f.Delta.Before.None():
		h.Kind = "added"
	case f.Delta.After.None():
		h.Kind = "deleted"
	case !textual:
		h.Kind = "binary"
	}
	f.old, f.now = SplitLines(f.Before), SplitLines(f.After)
	switch {
	case f.TooLarge():
		h.Text = h.Mode + "\n"
	case !textual:
		h.Text = fmt.Sprintf("binary, %d bytes before, %d now\n", len(f.Before), len(f.After))
	case len(f.old)+len(f.now) == 0:
		h.Text = "an empty file\n"
	default:
		all := wholeEdit(f.old, f.now)
		f.writeHunk(&h, stretch{all[0], all}, 0, len(f.old))
	}
	f.Hunks = append(f.Hunks, hunk{Hunk: h, whole: true})
}

func (f *FileHunks) addStretches() {
	var edits []LineEdit
	f.old, f.now, edits = LineEdits(f.Before, f.After)
	all := findStretches(f.old, edits)
	for i, s := range all {
		from, to := max(0, s.Lo-diffContext), min(len(f.old), s.Hi+diffContext)
		if i > 0 {
			from = max(from, all[i-1].Hi)
		}
		if i+1 < len(all) {
			to = min(to, all[i+1].Lo)
		}
		h := Hunk{Kind: "modified"}
		f.writeHunk(&h, s, from, to)
		f.Hunks = append(f.Hunks, hunk{Hunk: h, stretch: s})
	}
}

// findStretches joins edits if no line between them has a letter or a digit: an unchanged brace or
// empty line does not separate two intentions.
func findStretches(old []string, edits []LineEdit) []stretch {
	var out []stretch
	for _, e := range edits {
		if n := len(out); n > 0 && !slices.ContainsFunc(old[out[n-1].Hi:e.Lo], hasWord) {
			last := &out[n-1]
			last.Hi, last.NewHi = e.Hi, e.NewHi
			last.edits = append(last.edits, e)
			continue
		}
		out = append(out, stretch{e, []LineEdit{e}})
	}
	return out
}

func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// writeHunk writes a stretch with the old lines from index from up to index to around it.
func (f *FileHunks) writeHunk(h *Hunk, s stretch, from, to int) {
	var text strings.Builder
	at := from
	for _, e := range s.edits {
		writeLines(&text, ' ', f.old[at:e.Lo])
		writeLines(&text, '-', f.old[e.Lo:e.Hi])
		writeLines(&text, '+', f.now[e.NewLo:e.NewHi])
		h.Removed += e.Hi - e.Lo
		h.Added += e.NewHi - e.NewLo
		at = e.Hi
	}
	writeLines(&text, ' ', f.old[at:to])
	h.OldLines, h.NewLines = to-from, to-from+h.Added-h.Removed
	h.OldStart = startLine(from, h.OldLines)
	h.NewStart = startLine(s.NewLo-(s.Lo-from), h.NewLines)
	h.Text = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines) + text.String()
}

// ShowEdits returns the difference between two texts as the hunks of a unified diff.
func ShowEdits(before, after []byte) string {
	var f FileHunks
	var edits []LineEdit
	f.old, f.now, edits = LineEdits(before, after)
	var text strings.Builder
	for n := 1; len(edits) > 0; edits, n = edits[n:], 1 {
		for n < len(edits) && edits[n].Lo-edits[n-1].Hi <= 2*diffContext {
			n++
		}
		h, first, last := Hunk{}, edits[0], edits[n-1]
		s := stretch{LineEdit{first.Lo, last.Hi, first.NewLo, last.NewHi}, edits[:n]}
		f.writeHunk(&h, s, max(0, first.Lo-diffContext), min(len(f.old), last.Hi+diffContext))
		text.WriteString(h.Text)
	}
	return text.String()
}

// startLine returns the start of a range as git counts it: without lines, the line before.
func startLine(before, count int) int {
	if count == 0 {
		return before
	}
	return before + 1
}

func writeLines(out *strings.Builder, op byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(op)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
