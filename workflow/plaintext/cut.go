package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// OneLine joins the lines of a text and replaces each run of white space by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// UnifyLineEnds returns a text in which everything that may be shown as the end of a line is a line feed:
// otherwise a line of a quote could stand without the mark that is put before each.
func UnifyLineEnds(s string) string { return lineEnds.Replace(s) }

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n",
	"\u2028", "\n", "\u2029", "\n")

// SafeLine makes text by others a line of at most most characters. It drops characters that control a
// terminal or change the text direction.
func SafeLine(s string, most int) string {
	return CutLine(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(OneLine(s), "?")), most)
}

// CutLine shortens a text to at most most characters, including the ellipsis at the end.
func CutLine(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return s[:runeOffset(s, max(0, most-1))] + ellipsis
}

// CutBytes shortens a text to at most most bytes and adds an ellipsis. It never cuts within a character.
func CutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + ellipsis
}

// CutCounted shortens a line to most characters and adds how many more there were.
func CutCounted(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	return s[:runeOffset(s, most)] + fmt.Sprintf("… (%s more characters)", FormatCount(n-most))
}

// CutMiddle removes the middle of a text that is longer than head and tail together, and returns how many
// characters it removed.
func CutMiddle(s string, head, tail int) (out string, left int) {
	n := utf8.RuneCountInString(s)
	if n <= head+tail {
		return s, 0
	}
	left = n - head - tail
	return s[:runeOffset(s, head)] + fmt.Sprintf("\n[… %s characters left out …]\n",
		FormatCount(left)) + s[runeOffset(s, n-tail):], left
}

// runeOffset returns the byte offset at which character n begins, counted from 0.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
