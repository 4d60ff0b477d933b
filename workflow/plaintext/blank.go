package plaintext

import (
	"strings"
)

// Blank reports whether s says nothing.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// AllBlank reports whether nothing in the list says anything.
func AllBlank(list []string) bool {
	for _, s := range list {
		if !Blank(s) {
			return false
		}
	}
	return true
}
