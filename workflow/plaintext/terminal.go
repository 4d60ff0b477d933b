package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// StripTerminal returns a command's output as plain text: without colours, cursor moves, titles, links,
// overwritten progress lines and anything else that a terminal would act on.
func StripTerminal(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if c := s[i]; c == 0x1b {
			i += escapeLength(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\n' || r == '\t' || r == '\r' || !unicode.IsControl(r) && !isHidden(r) {
			b.WriteRune(r) // invalid UTF-8 becomes U+FFFD
		}
		i += n
	}
	return dropOverwritten(b.String())
}

// escapeLength returns the length in bytes of the escape sequence at the start of s. A sequence without an
// end stops at the end of its line, so that it does not swallow the following text.
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch c := s[1]; {
	case c == '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return len(s)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			case s[i] == '\n' || s[i] == 0x1b:
				return i
			}
		}
		return len(s)
	case c >= 0x20 && c <= 0x2f && len(s) > 2:
		return 3
	case c < 0x20 || c > 0x7e:
		return 1
	}
	return 2
}

// dropOverwritten keeps only the part of each line after its last carriage return, which is what a terminal
// shows.
func dropOverwritten(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}
