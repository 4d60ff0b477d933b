package repo

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// lineEdit replaces the lines lo to hi of one text by the lines newLo to newHi
// of another. Counted from 0, the second bound is past the end.
type lineEdit struct{ lo, hi, newLo, newHi int }

// lineEdits gives two texts as lines, each with its end, and the edits that
// lead from the one to the other. Between two edits is at least one line that
// both texts hold.
func lineEdits(before, after []byte) (old, now []string, edits []lineEdit) {
	old, now = splitLines(before), splitLines(after)
	if bytes.Equal(before, after) {
		return old, now, nil
	}
	i, j, open := 0, 0, false
	for _, part := range lineDiff(before, after) {
		n := lines(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			if i+n > len(old) || j+n > len(now) || !slices.Equal(old[i:i+n], now[j:j+n]) {
				return old, now, wholeEdit(old, now)
			}
			i, j, open = i+n, j+n, open && n == 0
			continue
		}
		if !open {
			edits = append(edits, lineEdit{lo: i, newLo: j})
			open = true
		}
		if part.Type == diffmatchpatch.DiffDelete {
			i += n
		} else {
			j += n
		}
		edits[len(edits)-1].hi, edits[len(edits)-1].newHi = i, j
	}
	if i != len(old) || j != len(now) {
		return old, now, wholeEdit(old, now)
	}
	return old, now, edits
}

// wholeEdit is right whatever the texts are: files are written by these edits,
// so a differ that miscounted must not be believed.
func wholeEdit(old, now []string) []lineEdit {
	return []lineEdit{{hi: len(old), newHi: len(now)}}
}

func splitLines(text []byte) []string {
	out := strings.SplitAfter(string(text), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
