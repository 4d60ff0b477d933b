package patch

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const maxPatchWork = 50_000_000 // limit of the lines of a file times its hunks

// A textLine is a line of a file with its line end.
type textLine struct{ text, end string }

func splitLines(s string) []textLine {
	var all []textLine
	for s != "" {
		line, rest, ok := strings.Cut(s, "\n")
		switch {
		case !ok:
			return append(all, textLine{line, ""})
		case strings.HasSuffix(line, "\r"):
			all = append(all, textLine{line[:len(line)-1], "\r\n"})
		default:
			all = append(all, textLine{line, "\n"})
		}
		s = rest
	}
	return all
}

func joinLines(all []textLine) string {
	var s strings.Builder
	for _, l := range all {
		s.WriteString(l.text + l.end)
	}
	return s.String()
}

// applyHunks applies hunks to a text, in the order of the file. Context lines stay as they are in the file,
// however the patch writes them.
func applyHunks(text string, hunks []hunk) (string, error) {
	if strings.Count(text, "\n")*len(hunks) > maxPatchWork {
		return "", model.Mistake("the file is too long for a patch of so many hunks: use fewer, or edit_file")
	}
	a := &applying{have: splitLines(text), end: "\n"}
	if workfile.HasCRLF([]byte(text)) {
		a.end = "\r\n"
	}
	for _, h := range hunks {
		if err := a.apply(h); err != nil {
			return "", err
		}
	}
	return joinLines(append(a.done, a.have[a.pos:]...)), nil
}

// applying is a text that is being changed: done is the new text so far, have[pos:] is still unchanged.
type applying struct {
	have []textLine
	done []textLine
	pos  int
	end  string // line end of new lines
}

func (a *applying) apply(h hunk) error {
	from, after := a.under(&h)
	var want []string
	for _, l := range h.lines {
		if l.op != '+' {
			want = append(want, l.text)
		}
	}
	if len(want) == 0 {
		from = after
	}
	at, err := a.place(h, want, from)
	if err != nil {
		return err
	}
	a.take(a.have[a.pos:at]...)
	a.pos = at
	a.write(h, indentation(a.have[at:], want))
	return nil
}

// under finds the lines that are named after @@, each below the one before. It returns the index of the last
// one, which the hunk may repeat, and the index after it. If one of the names is not found, all are ignored:
// the hunk has to fit in only one place then.
func (a *applying) under(h *hunk) (from, after int) {
	from, after = a.pos, a.pos
	for _, header := range h.headers {
		at := a.headerAt(header, after)
		if at < 0 {
			h.headers = nil
			return a.pos, a.pos
		}
		from, after = at, at+1
	}
	return from, after
}

func (a *applying) headerAt(header string, from int) int {
	if at, _ := a.seek([]string{header}, from); len(at) > 0 {
		return at[0]
	}
	for i := from; i < len(a.have); i++ {
		if strings.HasPrefix(strings.TrimSpace(a.have[i].text), header) {
			return i
		}
	}
	return -1
}

// place returns the index of the line at which a hunk belongs.
func (a *applying) place(h hunk, want []string, from int) (int, error) {
	switch {
	case len(want) == 0 && len(h.headers) > 0 && !h.atEnd:
		return from, nil
	case len(want) == 0:
		return len(a.have), nil
	}
	if last := len(a.have) - len(want); h.atEnd && last >= from {
		if at, _ := a.seek(want, last); len(at) > 0 {
			return last, nil
		}
	}
	at, pass := a.seek(want, from)
	switch {
	case len(at) == 0:
		return 0, a.notFound(h, want)
	case len(at) > 1 && len(h.headers) == 0:
		return 0, model.Mistakef("line %d of the patch: the hunk fits at lines %s of the file%s: put more lines around the change, or the name of the function after @@",
			h.line, numbersOf(at), pass)
	}
	return at[0], nil
}

func (a *applying) notFound(h hunk, want []string) error {
	text := fmt.Sprintf("line %d of the patch: the lines of this hunk are not in the file", h.line)
	if at, _ := a.seek(want, 0); len(at) > 0 {
		return model.Mistakef("%s where they should be, but at line %d: hunks have to be in the order of the file, and below the name after @@", text, at[0]+1)
	}
	have := make([]string, len(a.have))
	for i, l := range a.have {
		have[i] = l.text
	}
	return model.Mistakef("%s. %s", text, DescribeNearest([]byte(strings.Join(have, "\n")), strings.Join(want, "\n")))
}

func numbersOf(at []int) string {
	parts := make([]string, 0, len(at))
	for _, n := range at[:min(len(at), maxLinesNamed)] {
		parts = append(parts, fmt.Sprint(n+1))
	}
	return strings.Join(parts, ", ")
}

// passes are the ways in which lines are compared, the strictest first.
var passes = []struct {
	name string
	same func(a, b string) bool
}{
	{"", func(a, b string) bool { return a == b }},
	{" but for spaces at line ends", func(a, b string) bool { return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t") }},
	{" but for indentation", func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }},
}

// seek returns the indexes, from a line on, at which the wanted lines are, by the first pass that finds any.
func (a *applying) seek(want []string, from int) (at []int, pass string) {
	for _, p := range passes {
		for i := from; i+len(want) <= len(a.have) && len(at) <= maxLinesNamed; i++ {
			if sameLines(a.have[i:], want, p.same) {
				at = append(at, i)
			}
		}
		if len(at) > 0 {
			return at, p.name
		}
	}
	return nil, ""
}

func sameLines(have []textLine, want []string, same func(a, b string) bool) bool {
	for i, w := range want {
		if !same(have[i].text, w) {
			return false
		}
	}
	return true
}

// write appends the hunk's lines to what is done.
func (a *applying) write(h hunk, indent func(string) string) {
	for _, l := range h.lines {
		switch l.op {
		case '+':
			a.take(textLine{indent(l.text), a.end})
		case '-':
			a.pos++
		default:
			a.take(a.have[a.pos])
			a.pos++
		}
	}
}

// take appends lines to what is done. A last line without a line end gets one when another line follows.
func (a *applying) take(all ...textLine) {
	if n := len(a.done); n > 0 && len(all) > 0 && a.done[n-1].end == "" {
		a.done[n-1].end = a.end
	}
	a.done = append(a.done, all...)
}

// indentation returns a func for new lines that corrects their indentation, if the patch has the whole hunk
// further left or right than the file. It adds or removes one prefix for all lines, or nothing.
func indentation(have []textLine, want []string) func(string) string {
	same := func(s string) string { return s }
	var add, drop string
	found := false
	for i, w := range want {
		h := have[i].text
		if strings.TrimSpace(w) == "" {
			continue
		}
		hi, wi := indentOf(h), indentOf(w)
		var plus, minus string
		switch {
		case strings.HasSuffix(hi, wi):
			plus = strings.TrimSuffix(hi, wi)
		case strings.HasSuffix(wi, hi):
			minus = strings.TrimSuffix(wi, hi)
		default:
			return same
		}
		if found && (plus != add || minus != drop) {
			return same
		}
		add, drop, found = plus, minus, true
	}
	if add == "" && drop == "" {
		return same
	}
	return func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		return add + strings.TrimPrefix(s, drop)
	}
}

func indentOf(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
