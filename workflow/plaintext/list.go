package plaintext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxListLine is the maximum length in characters of a list on one line.
const maxListLine = 160

// maxParagraph is the maximum length in characters of sentences on one line.
const maxParagraph = 200

// Paragraph joins sentences, which have no full stop, on one line if that is short enough, else it puts
// each on its own line.
func Paragraph(sentences []string) string {
	if line := strings.Join(sentences, ". "); utf8.RuneCountInString(line) <= maxParagraph {
		return line
	}
	return strings.Join(sentences, "\n")
}

// List formats items to follow a colon: " a; b" if that is short enough, else one line with a bullet per
// item.
func List(items []string) string {
	if line := " " + strings.Join(items, "; "); utf8.RuneCountInString(line) <= maxListLine {
		return line
	}
	return "\n• " + strings.Join(items, "\n• ")
}

// FirstOf returns at most most of the items on one line, and says how many more there are: "a, b and 3 more".
func FirstOf(items []string, most int) string {
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}

// Files returns the paths as code on one line, at most eight of them; see FirstOf.
func Files(paths []string) string {
	var spans []string
	for _, p := range paths {
		spans = append(spans, CodeSpan(SafeLine(p, 120)))
	}
	return FirstOf(spans, 8)
}

// And joins items as a sentence does: "a, b and c".
func And(items []string) string { return joinWords(items, "and") }

// Or returns the items as in a sentence: "a", "a or b", "a, b or c".
func Or(items []string) string { return joinWords(items, "or") }

func joinWords(items []string, word string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " " + word + " " + items[last]
}
