package diff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// LineEdit replaces the lines lo to hi of one text by the lines newLo to newHi
// of another. Counted from 0, the second bound is past the end.
type LineEdit struct{ Lo, Hi, newLo, NewHi int }

// LineEdits gives two texts as lines, each with its end, and the edits that
// lead from the one to the other. Between two edits is at least one line that
// both texts hold.
func LineEdits(before, after []byte) (old, now []string, edits []LineEdit) {
	old, now = SplitLines(before), SplitLines(after)
	if bytes.Equal(before, after) {
		return old, now, nil
	}
	i, j, open := 0, 0, false
	for _, part := range lineDiff(before, after) {
		n := CountLines(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			if i+n > len(old) || j+n > len(now) || !slices.Equal(old[i:i+n], now[j:j+n]) {
				return old, now, wholeEdit(old, now)
			}
			i, j, open = i+n, j+n, open && n == 0
			continue
		}
		if !open {
			edits = append(edits, LineEdit{Lo: i, newLo: j})
			open = true
		}
		if part.Type == diffmatchpatch.DiffDelete {
			i += n
		} else {
			j += n
		}
		edits[len(edits)-1].Hi, edits[len(edits)-1].NewHi = i, j
	}
	if i != len(old) || j != len(now) {
		return old, now, wholeEdit(old, now)
	}
	return old, now, edits
}

// wholeEdit is right whatever the texts are: files are written by these edits,
// so a differ that miscounted must not be believed.
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

// LineBefore gives the number that a line of after had in before; 0 for a new one.
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
			was, is = was+n, is+n
		}
	}
	return 0
}
