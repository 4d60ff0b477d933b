package proposal

import (
	"cmp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The widths that git's own tools expect, in characters.
const (
	maxSubject = 72
	bodyWidth  = 72
)

// CommitMessage returns a commit message: a subject of at most 72 characters, and the model's summary
// in lines of 72 characters. Without a title the first sentence of the summary is the subject, or
// fallback if there is no summary.
func CommitMessage(title, summary, fallback string) string {
	title, body := strings.TrimRight(plaintext.OneLine(title), "."), strings.TrimSpace(summary)
	if title == "" {
		first, rest := firstSentence(body)
		title = cmp.Or(strings.TrimRight(plaintext.OneLine(first), "."), strings.TrimRight(plaintext.OneLine(fallback), "."))
		if len([]rune(title)) <= maxSubject {
			body = strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(plaintext.CutWords(title, maxSubject) + "\n\n" + plaintext.WrapProse(body, bodyWidth))
}

// firstSentence splits a text after its first sentence or line.
func firstSentence(s string) (first, rest string) {
	line, _, _ := strings.Cut(s, "\n")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i+1]
	}
	return line, s[len(line):]
}
