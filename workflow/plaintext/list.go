package plaintext

import (
	"strings"
	"unicode/utf8"
)

// maxListLine is how long, in characters, a list on one line may get.
const maxListLine = 160

// maxParagraph is how long, in characters, sentences on one line may get.
const maxParagraph = 200

// Paragraph joins sentences, which have no full stop, on one line where that is short; else they
// have a line each.
func Paragraph(sentences []string) string {
	if line := strings.Join(sentences, ". "); utf8.RuneCountInString(line) <= maxParagraph {
		return line
	}
	return strings.Join(sentences, "\n")
}

// List is what follows a colon: " a; b" where that is short, else a line with a bullet for each.
func List(items []string) string {
	if line := " " + strings.Join(items, "; "); utf8.RuneCountInString(line) <= maxListLine {
		return line
	}
	return "\n• " + strings.Join(items, "\n• ")
}
