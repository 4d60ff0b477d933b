package plaintext

import (
	"strings"
	"unicode"
)

// Blank reports whether s says nothing: it has no letter, no digit and no picture. Marks alone, such as "**"
// or "-", say nothing.
func Blank(s string) bool { return !strings.ContainsFunc(s, speaks) }

func speaks(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.So) }

// AllBlank reports whether every string in the list is blank.
func AllBlank(list []string) bool {
	for _, s := range list {
		if !Blank(s) {
			return false
		}
	}
	return true
}
