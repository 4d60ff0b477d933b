package plaintext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CutWords shortens a line to at most most characters, including an ellipsis after a whole word. Only a
// first word longer than that is cut.
func CutWords(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := s[:runeOffset(s, max(0, most-1))]
	if next, _ := utf8.DecodeRuneInString(s[len(cut):]); unicode.IsLetter(next) || unicode.IsDigit(next) {
		if i := strings.LastIndexByte(cut, ' '); i > 0 {
			cut = cut[:i]
		}
	}
	return strings.TrimRight(cut, " ,;:") + ellipsis
}

// notProse matches lines that change their meaning when they are wrapped: indented or quoted lines, list
// items, headings, tables.
var notProse = regexp.MustCompile(`^(?:\s|>|[-*+•#|]|\d+[.)]\s)`)

// WrapProse wraps the lines of a text that are longer than width characters, between words. Lines of code,
// lists and quotes stay as they are, and so does a word that is longer than width.
func WrapProse(s string, width int) string {
	var out []string
	fenced := false
	for _, line := range strings.Split(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced && !notProse.MatchString(line) && utf8.RuneCountInString(line) > width {
			out = append(out, wrapLine(line, width)...)
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func wrapLine(line string, width int) (lines []string) {
	at := ""
	length := 0
	for _, word := range strings.Fields(line) {
		n := utf8.RuneCountInString(word)
		// A word that would begin a list or a quote stays on the line of the word before it.
		if at != "" && length+1+n > width && !notProse.MatchString(word+" ") {
			lines, at, length = append(lines, at), "", 0
		}
		if at != "" {
			at = at + " "
			length = length + 1
		}
		at = at + word
		length = length + n
	}
	return append(lines, at)
}
