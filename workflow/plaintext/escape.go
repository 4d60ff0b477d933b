package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuotePath returns a path as it is, or as an escaped Go string if it has unusual characters.
func QuotePath(path string) string {
	if strings.HasPrefix(path, `"`) {
		return strconv.QuoteToASCII(path) // otherwise it would look like a quoted path
	}
	for _, r := range path {
		if r == utf8.RuneError || isHidden(r) || !unicode.IsPrint(r) {
			return strconv.QuoteToASCII(path)
		}
	}
	return path
}

// EscapeLine makes every character of a line visible: it escapes invalid UTF-8, control characters and
// hidden characters. clean reports that nothing had to be escaped.
func EscapeLine(s string) (out string, clean bool) {
	if isPlainLine(s) {
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
		case r != '\t' && unicode.IsControl(r) || isHidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			clean = false
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String(), clean
}

// EscapeText applies EscapeLine to each line of a text.
func EscapeText(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i], _ = EscapeLine(line)
	}
	return strings.Join(lines, "\n")
}

// isPlainLine reports whether a line consists of printable ASCII and tabs, as nearly every line of code
// does.
func isPlainLine(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// isHidden reports whether a character is invisible or changes the text direction. Joiners do not count,
// because scripts and emoji need them.
func isHidden(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x061C, r == 0xFEFF, r == 0x200B, r == 0x200E, r == 0x200F:
		return true
	case r >= 0x2028 && r <= 0x202E, // with the separators of lines and paragraphs
		r >= 0x2060 && r <= 0x206F, r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}
