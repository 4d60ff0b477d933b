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

// CloseFence ends a block of code that the text begins and does not end, so that what follows the text is not
// in it.
func CloseFence(text string) string {
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			open = !open
		}
	}
	if open {
		return text + "\n```"
	}
	return text
}
