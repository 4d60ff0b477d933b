package tool

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote writes a path as people do, and one with strange characters in quotes.
func quote(path string) string {
	if strings.HasPrefix(path, `"`) {
		return strconv.QuoteToASCII(path) // else it would read as quoted already
	}
	for _, r := range path {
		if r == utf8.RuneError || hidden(r) || !unicode.IsPrint(r) {
			return strconv.QuoteToASCII(path)
		}
	}
	return path
}

// hidden reports characters that show nothing or turn the direction of what follows. The
// joiners are left alone: scripts and emoji need them.
func hidden(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x061C, r == 0xFEFF, r == 0x200B, r == 0x200E, r == 0x200F:
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// visible is text of a file as a model may see it: what is not text, or hides, is
// escaped. clean says that nothing had to be.
func visible(s string) (out string, clean bool) {
	if plain(s) {
		return s, true
	}
	var b strings.Builder
	clean = true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
			clean = false
		case r != '\t' && unicode.IsControl(r) || hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			clean = false
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String(), clean
}

// Visible is text of several lines as a model may see it, whoever wrote it: what is not
// text, or hides, is escaped.
func Visible(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i], _ = visible(line)
	}
	return strings.Join(lines, "\n")
}

// plain is true for printable ASCII and tabs, which is nearly every line of code.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// cut shortens a line to so many characters and says by how much.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	return s[:runeOffset(s, limit)] + fmt.Sprintf("… (%s more characters)", count(n-limit))
}

// runeOffset is where the nth character begins.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// headAndTail leaves out the middle of a text that is longer than both.
func headAndTail(s string, head, tail int) (out string, left int) {
	n := utf8.RuneCountInString(s)
	if n <= head+tail {
		return s, 0
	}
	left = n - head - tail
	return s[:runeOffset(s, head)] + fmt.Sprintf("\n[… %s characters left out …]\n", count(left)) + s[runeOffset(s, n-tail):], left
}

// count writes a number with its thousands apart: 12,345.
func count[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// some is a number with its noun: 1 file, 2 files.
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
