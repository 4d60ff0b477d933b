package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// StripTerminal returns a command's output as plain text: without colours, cursor moves,
// titles, links, overwritten progress lines, and whatever else a terminal would act upon.
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
			b.WriteRune(r) // what is not UTF-8 becomes U+FFFD
		}
		i += n
	}
	return dropOverwritten(b.String())
}

// escapeLength returns how many bytes belong to the escape sequence at the start of s. One that
// never ends takes no more than its line, so that it cannot swallow what follows.
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

// dropOverwritten keeps of each line what is still seen behind its last carriage return.
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
