package plaintext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capitalize returns text with its first letter in upper case.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if upper := unicode.ToUpper(first); upper != first {
		return string(upper) + text[size:]
	}
	return text
}

// sentenceEnd matches the end of a sentence within a line and the first character of the next sentence.
var sentenceEnd = regexp.MustCompile("[.!?][\"')\\]`*_]*\\s+[\\pLu0-9\"'(\\[`*]")

// FirstSentences returns the first sentence of a text, and the second too if both together have at most
// most characters. A longer first sentence is cut at the end of a word, with an ellipsis.
func FirstSentences(text string, most int) string {
	line := OneLine(text)
	ends := append(ends(line), len(line))
	for i := min(len(ends), 2) - 1; i >= 0; i-- {
		if cut := strings.TrimSpace(line[:ends[i]]); len([]rune(cut)) <= most {
			return cut
		}
	}
	return CutWord(line, most)
}

// ends returns the byte offsets at which the sentences of a line end, except the last.
func ends(line string) (at []int) {
	for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
		before := line[:m[0]+1]
		if word := before[strings.LastIndexAny(before, " (")+1:]; strings.Count(word, ".") > 1 &&
			len(word) <= 4 {
			continue // e.g., i.e.
		}
		at = append(at, m[0]+len(strings.TrimRight(strings.TrimRightFunc(line[m[0]:m[1]],
			func(r rune) bool { return r != ' ' }), " ")))
	}
	return at
}

// CutWord shortens a line to at most most characters including the ellipsis, at the end of a word if the
// last space is in the second half.
func CutWord(line string, most int) string {
	cut := CutLine(line, most)
	if cut == line {
		return line
	}
	cut = strings.TrimSuffix(cut, ellipsis)
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " .,;:") + ellipsis
}
