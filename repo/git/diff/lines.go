package diff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// LineEdit replaces the lines Lo to Hi of one text by the lines NewLo to NewHi of another. Lines count
// from 0, and the second bound is exclusive.
type LineEdit struct{ Lo, Hi, NewLo, NewHi int }

// LineEdits returns both texts as lines, each with its line end, and the edits from the first to the
// second. Between two edits there is at least one line that both texts hold.
func LineEdits(before, after []byte) (old, now []string, edits []LineEdit) {
	old = SplitLines(before)
	now = SplitLines(after)
	if bytes.Equal(before, after) {
		return old, now, nil
	}
	i := 0
	j := 0
	open := false
	for _, part := range lineDiff(before, after) {
		n := CountLines(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			if i+n > len(old) || j+n > len(now) || !slices.Equal(old[i:i+n], now[j:j+n]) {
				return old, now, wholeEdit(old, now)
			}
			i = i + n
			j = j + n
			open = open && n == 0
			continue
		}
		if !open {
			edits = append(edits, LineEdit{Lo: i, NewLo: j})
			open = true
		}
		if part.Type == diffmatchpatch.DiffDelete {
			i += n
		} else {
			j += n
		}
		last := &edits[len(edits)-1]
		last.Hi = i
		last.NewHi = j
	}
	if i != len(old) || j != len(now) {
		return old, now, wholeEdit(old, now)
	}
	return old, now, edits
}

// wholeEdit replaces the whole text, which is right for any two texts. It is used when the diff library
// miscounts, because files are written from these edits.
func wholeEdit(old, now []string) []LineEdit {
	return []LineEdit{{Hi: len(old), NewHi: len(now)}}
}

func SplitLines(text []byte) []string {
	out := strings.SplitAfter(string(text), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// LineBefore returns the number that a line of after had in before, or 0 for a new line. The lines at the
// beginning and at the end that both texts have are not compared by a diff, so that a small change of a large
// file is cheap.
func LineBefore(before, after []byte, line int) int {
	head := commonHead(before, after)
	above := CountLines(string(after[:head]))
	if line <= above {
		return line
	}
	before = before[head:]
	after = after[head:]
	tail := commonTail(before, after)
	before = before[:len(before)-tail]
	after = after[:len(after)-tail]
	line -= above
	if is := CountLines(string(after)); line > is {
		return above + line - is + CountLines(string(before))
	}
	if was := lineBefore(before, after, line); was > 0 {
		return above + was
	}
	return 0
}

// lineBefore is LineBefore by a diff of the whole texts.
func lineBefore(before, after []byte, line int) int {
	was, is := 0, 0
	for _, part := range lineDiff(before, after) {
		n := CountLines(part.Text)
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
			was = was + n
			is = is + n
		}
	}
	return 0
}

// commonHead returns the number of bytes of the whole lines with which both texts begin.
func commonHead(a, b []byte) int {
	const block = 4096
	n := 0
	for n+block <= min(len(a), len(b)) && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return bytes.LastIndexByte(a[:n], '\n') + 1
}

// commonTail returns the number of bytes of the whole lines with which both texts end. Both begin with a
// line.
func commonTail(a, b []byte) int {
	const block = 4096
	n := 0
	for n+block <= min(len(a), len(b)) &&
		bytes.Equal(a[len(a)-n-block:len(a)-n], b[len(b)-n-block:len(b)-n]) {
		n += block
	}
	for n < min(len(a), len(b)) && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	isStart := func(text []byte) bool { return n == len(text) || text[len(text)-n-1] == '\n' }
	if isStart(a) && isStart(b) {
		return n
	}
	next := bytes.IndexByte(a[len(a)-n:], '\n')
	if next < 0 {
		return 0
	}
	return n - next - 1
}

// LineAfter returns the number that a line of before has in after. If the line is not there any more, it is
// the number of the line in its place.
func LineAfter(before, after []byte, line int) int {
	_, now, edits := LineEdits(before, after)
	at := line - 1
	shift := 0
	for _, e := range edits {
		if at < e.Lo {
			break
		}
		if at < e.Hi {
			last := max(e.NewLo, e.NewHi-1)
			return max(1, min(e.NewLo+at-e.Lo, last, len(now)-1)+1)
		}
		shift = e.NewHi - e.Hi
	}
	return max(1, line+shift)
}
