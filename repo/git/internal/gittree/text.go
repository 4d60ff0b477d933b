package gittree

import (
	"fmt"
	"strings"
)

// QuotePath quotes a path with control characters or quotes, so that a hostile name cannot add lines to
// a diff or a list.
func QuotePath(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == 0xfffd }) {
		return path
	}
	return fmt.Sprintf("%q", path)
}

// Printable removes the characters that a terminal would obey.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}
