package source

import "strings"

// AfterBraces returns the offset after the brace that closes the one at i, and whether there is one.
// Braces in strings and in /* */ comments do not count.
func AfterBraces(text string, i int) (int, bool) {
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i = AfterString(text, i)
			continue
		case c == '`':
			if end := strings.IndexByte(text[i+1:], '`'); end >= 0 {
				i += end + 1
			}
		case strings.HasPrefix(text[i:], "/*"):
			i = After(text, i+2, "*/")
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return i, false
}

// Masked replaces each byte of a template expression or an interpolation, whose value is not known
// here.
const Masked = '\x01'

func UpToLineEnd(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// After returns the offset after the next occurrence of end, or the length of the text.
func After(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// AfterString returns the offset after the string that begins at i. A string that is not closed ends at
// the end of its line.
func AfterString(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j + 1
		case '\n':
			return j
		}
	}
	return len(text)
}

func Blank(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

func IsNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
