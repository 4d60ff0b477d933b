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

// LineBefore returns the number that a line of after had in before, or 0 for a new line.
func LineBefore(before, after []byte, line int) int {
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
