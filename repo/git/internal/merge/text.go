package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

const (
	excerptLines = 40
	ExcerptBytes = 2000
)

// side is one of two texts derived from the same base: its lines, its edits, and how many of the edits
// the walk has passed.
type side struct {
	lines []string
	edits []diff.LineEdit
	next  int
}

// nextEdit returns the next edit; ok is false if there is none.
func (s *side) nextEdit() (e diff.LineEdit, ok bool) {
	if s.next == len(s.edits) {
		return diff.LineEdit{}, false
	}
	return s.edits[s.next], true
}

// takeTouching passes the next edit if it touches the base's lines up to hi, and returns the new hi.
// Edits of adjacent lines touch.
func (s *side) takeTouching(hi int) (int, bool) {
	e, ok := s.nextEdit()
	if !ok || e.Lo > hi {
		return hi, false
	}
	s.next++
	return max(hi, e.Hi), true
}

// mapLines returns the range of this side's lines that replaces the base's lines lo to hi, where first
// is the index of the first edit in that range.
func (s *side) mapLines(first, lo, hi int) (from, to int) {
	shift := func(i int) int { // after the first i edits
		if i == 0 {
			return 0
		}
		return s.edits[i-1].NewHi - s.edits[i-1].Hi
	}
	return lo + shift(first), hi + shift(s.next)
}

// Texts merges two texts derived from base. The conflicts have no path. If there are any, the returned
// text must not be used.
func Texts(base, ours, theirs []byte) ([]byte, []Conflict) {
	return texts(base, ours, theirs, nil)
}

// texts merges as Texts does. With labels, each conflict is in the returned text, between markers.
func texts(base, ours, theirs []byte, labels *Labels) ([]byte, []Conflict) {
	old, mine, edits := diff.LineEdits(base, ours)
	a := &side{lines: mine, edits: slideDown(old, mine, edits)}
	_, other, edits := diff.LineEdits(base, theirs)
	b := &side{lines: other, edits: slideDown(old, other, edits)}
	var out []string
	var conflicts []Conflict
	at := 0
	for {
		lo, ok := nextEditLine(a, b)
		if !ok {
			break
		}
		out = append(out, old[at:lo]...)
		firstA := a.next
		firstB := b.next
		hi := lo
		for grew := true; grew; {
			var moreA, moreB bool
			hi, moreA = a.takeTouching(hi)
			hi, moreB = b.takeTouching(hi)
			grew = moreA || moreB
		}
		fromA, toA := a.mapLines(firstA, lo, hi)
		fromB, toB := b.mapLines(firstB, lo, hi)
		switch {
		case b.next == firstB, slices.Equal(mine[fromA:toA], other[fromB:toB]):
			out = append(out, mine[fromA:toA]...)
		case a.next == firstA:
			out = append(out, other[fromB:toB]...)
		default:
			conflicts = append(conflicts, Conflict{
				Why:    bothChanged(fromA, toA),
				Ours:   Excerpt(mine[fromA:toA]),
				Base:   Excerpt(old[lo:hi]),
				Theirs: Excerpt(other[fromB:toB]),
			})
			out = append(out, labels.mark(mine[fromA:toA], old[lo:hi], other[fromB:toB])...)
		}
		at = hi
	}
	out = append(out, old[at:]...)
	return []byte(strings.Join(out, "")), conflicts
}

// slideDown moves each edit that only adds or only removes lines down as far as the lines repeat, as git
// does, so that both sides place the same edit alike. Edits that meet become one.
func slideDown(old, now []string, edits []diff.LineEdit) (out []diff.LineEdit) {
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		for {
			if len(out) > 0 && e.Hi == out[len(out)-1].Lo { // and so does NewHi
				next := out[len(out)-1]
				out = out[:len(out)-1]
				e.Hi = next.Hi
				e.NewHi = next.NewHi
			}
			adds := e.Lo == e.Hi && e.NewHi < len(now) && now[e.NewLo] == now[e.NewHi]
			removes := e.NewLo == e.NewHi && e.Hi < len(old) && old[e.Lo] == old[e.Hi]
			if !adds && !removes {
				break
			}
			e = diff.LineEdit{Lo: e.Lo + 1, Hi: e.Hi + 1, NewLo: e.NewLo + 1, NewHi: e.NewHi + 1}
		}
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}

// nextEditLine returns the line of the base at which the next edit of either side begins.
func nextEditLine(a, b *side) (int, bool) {
	x, okA := a.nextEdit()
	y, okB := b.nextEdit()
	switch {
	case okA && okB:
		return min(x.Lo, y.Lo), true
	case okA:
		return x.Lo, true
	}
	return y.Lo, okB
}

func bothChanged(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("both changed lines, gone here, after line %d", from)
	case 1:
		return fmt.Sprintf("both changed line %d", to)
	}
	return fmt.Sprintf("both changed lines %d-%d", from+1, to)
}

// Excerpt returns the beginning of a text, short and in valid UTF-8, so that any reader can show it.
func Excerpt(lines []string) string {
	shown := lines[:min(len(lines), excerptLines)]
	text := strings.Join(shown, "")
	if len(text) > ExcerptBytes {
		text = text[:ExcerptBytes]
		if end := strings.LastIndexByte(text, '\n'); end > 0 {
			text = text[:end+1]
		}
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if left := len(lines) - strings.Count(text, "\n"); left > 0 && len(text) < len(strings.Join(lines, "")) {
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("\n… %d more lines", left)
	}
	return text
}
