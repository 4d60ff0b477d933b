package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// OneLine joins the lines of a text and makes each run of blanks one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// SafeLine makes somebody else's words a line of at most that many characters: it drops what
// would command a terminal, or turn text around.
func SafeLine(s string, most int) string {
	return CutLine(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(OneLine(s), "?")), most)
}

// CutLine shortens a text to at most that many characters, the last of them an ellipsis.
func CutLine(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return s[:runeOffset(s, max(0, most-1))] + ellipsis
}

// CutBytes shortens a text to at most that many bytes and an ellipsis behind them. It never
// cuts within a character.
func CutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + ellipsis
}

// CutCounted shortens a line to that many characters and says how many more there were.
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

// CutMiddle leaves out the middle of a text that is longer than head and tail together, and
// returns how many characters it left out.
func CutMiddle(s string, head, tail int) (out string, left int) {
	n := utf8.RuneCountInString(s)
	if n <= head+tail {
		return s, 0
	}
	left = n - head - tail
	return s[:runeOffset(s, head)] + fmt.Sprintf("\n[… %s characters left out …]\n", FormatCount(left)) + s[runeOffset(s, n-tail):], left
}

// runeOffset returns the byte at which the nth character begins.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
