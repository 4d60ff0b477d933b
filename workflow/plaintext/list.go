package plaintext

import (
	"strings"
	"unicode/utf8"
)

// maxListLine is how long, in characters, a list on one line may get.
const maxListLine = 160

// List is what follows a colon: " a; b" where that is short, else a line with a bullet for each.
func List(items []string) string {
	if line := " " + strings.Join(items, "; "); utf8.RuneCountInString(line) <= maxListLine {
		return line
	}
	return "\n• " + strings.Join(items, "\n• ")
}
