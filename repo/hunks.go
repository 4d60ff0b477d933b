package repo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Hunk is one stretch of the difference between the base and the files now.
type Hunk struct {
	Number             int // from 1 over the whole diff, in path order
	Path               string
	Kind               string // modified, added, deleted, mode, binary
	Mode               string // as in Change
	OldStart, OldLines int    // with the lines around it, as the @@ line says
	NewStart, NewLines int
	Added, Removed     int
	Text               string // unified, with the @@ line; a few words where no lines can be shown
}

func (h Hunk) String() string {
	s := fmt.Sprintf("%d %s %s", h.Number, h.Kind, quote(h.Path))
	if h.Mode != "" {
		s += " (" + h.Mode + ")"
	}
	if h.Kind == "modified" && h.NewLines > 0 {
		s += fmt.Sprintf(" lines %d-%d", h.NewStart, h.NewStart+h.NewLines-1)
	}
	return s + fmt.Sprintf(" +%d -%d", h.Added, h.Removed)
}

// Hunks takes the difference with the base apart. It is finer than Diff: two
// edits are two hunks as soon as a line with a word in it stands between them,
// so that each can be judged and taken out alone. What is added, deleted,
// binary, or not a plain file on both sides is one hunk; so is a change of the
// executable bit, which stands apart from the changed lines of the same file.
func (w *Workspace) Hunks(ctx context.Context) ([]Hunk, error) {
	out := []Hunk{}
	err := w.eachFile(ctx, func(f *fileHunks) error {
		for i := range f.hunks {
			out = append(out, f.hunks[i].Hunk)
		}
		return nil
	})
	return out, err
}

// fileHunks is one path that differs, taken apart.
type fileHunks struct {
	*delta
	before, after []byte
	old, now      []string // lines, for a text that is taken apart
	hunks         []hunk
}

type hunk struct {
	Hunk
	whole   bool // the path as it is, content and mode
	stretch stretch
}

// stretch is a run of edits that are shown and taken out together.
type stretch struct {
	lineEdit
	edits []lineEdit
}

// eachFile visits what differs in path order, one file's content at a time.
func (w *Workspace) eachFile(ctx context.Context, visit func(*fileHunks) error) error {
	deltas, err := w.deltas(ctx)
	if err != nil {
		return err
	}
	number := 0
	for i := range deltas {
		f := &fileHunks{delta: &deltas[i]}
		if f.before, f.after, err = w.contents(ctx, f.delta); err != nil {
			return err
		}
		f.split()
		for j := range f.hunks {
			number++
			f.hunks[j].Number, f.hunks[j].Path = number, f.path
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileHunks) split() {
	textual := !f.tooLarge() && !isBinary(f.before) && !isBinary(f.after)
	switch {
	case f.tooLarge() || !f.delta.before.isFile() || !f.delta.after.isFile():
		f.addWhole(textual)
	case f.delta.before.hash == f.delta.after.hash:
		f.addMode()
	case !textual:
		f.addWhole(false)
	default:
		if !sameMode(f.delta.before.mode, f.delta.after.mode) {
			f.addMode()
		}
		f.addStretches()
	}
}

func (f *fileHunks) addMode() {
	words := modeWords(f.delta)
	f.hunks = append(f.hunks, hunk{Hunk: Hunk{Kind: "mode", Mode: words, Text: words + "\n"}})
}

// addWhole makes one hunk of the path: its lines where it has some to show.
func (f *fileHunks) addWhole(textual bool) {
	h := Hunk{Kind: "modified", Mode: modeWords(f.delta)}
	switch {
	case f.delta.before.none():
		h.Kind = "added"
	case f.delta.after.none():
		h.Kind = "deleted"
	case !textual:
		h.Kind = "binary"
	}
	f.old, f.now = splitLines(f.before), splitLines(f.after)
	switch {
	case f.tooLarge():
		h.Text = h.Mode + "\n"
	case !textual:
		h.Text = fmt.Sprintf("binary, %d bytes before, %d now\n", len(f.before), len(f.after))
	case len(f.old)+len(f.now) == 0:
		h.Text = "an empty file\n"
	default:
		all := wholeEdit(f.old, f.now)
		f.show(&h, stretch{all[0], all}, 0, len(f.old))
	}
	f.hunks = append(f.hunks, hunk{Hunk: h, whole: true})
}

func (f *fileHunks) addStretches() {
	var edits []lineEdit
	f.old, f.now, edits = lineEdits(f.before, f.after)
	all := stretches(f.old, edits)
	for i, s := range all {
		from, to := max(0, s.lo-diffContext), min(len(f.old), s.hi+diffContext)
		if i > 0 {
			from = max(from, all[i-1].hi)
		}
		if i+1 < len(all) {
			to = min(to, all[i+1].lo)
		}
		h := Hunk{Kind: "modified"}
		f.show(&h, s, from, to)
		f.hunks = append(f.hunks, hunk{Hunk: h, stretch: s})
	}
}

// stretches joins edits between which no line has a letter or a digit: a brace
// or an empty line that stayed is no sign of two intentions.
func stretches(old []string, edits []lineEdit) []stretch {
	var out []stretch
	for _, e := range edits {
		if n := len(out); n > 0 && !slices.ContainsFunc(old[out[n-1].hi:e.lo], hasWord) {
			last := &out[n-1]
			last.hi, last.newHi = e.hi, e.newHi
			last.edits = append(last.edits, e)
			continue
		}
		out = append(out, stretch{e, []lineEdit{e}})
	}
	return out
}

func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// show writes a stretch with the old lines from and to around it.
func (f *fileHunks) show(h *Hunk, s stretch, from, to int) {
	var text strings.Builder
	at := from
	for _, e := range s.edits {
		writeLines(&text, ' ', f.old[at:e.lo])
		writeLines(&text, '-', f.old[e.lo:e.hi])
		writeLines(&text, '+', f.now[e.newLo:e.newHi])
		h.Removed += e.hi - e.lo
		h.Added += e.newHi - e.newLo
		at = e.hi
	}
	writeLines(&text, ' ', f.old[at:to])
	h.OldLines, h.NewLines = to-from, to-from+h.Added-h.Removed
	h.OldStart = startLine(from, h.OldLines)
	h.NewStart = startLine(s.newLo-(s.lo-from), h.NewLines)
	h.Text = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines) + text.String()
}

// startLine is git's: the line before where there are none.
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
