package plaintext

import (
	"strings"
)

// Blank reports whether s is empty or only white space.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// AllBlank reports whether every string in the list is blank.
func AllBlank(list []string) bool {
	for _, s := range list {
		if !Blank(s) {
			return false
		}
	}
	return true
}
