package plaintext

import (
	"regexp"
	"strings"
)

// sentenceEnd is the end of a sentence within a line: what follows begins another one.
var sentenceEnd = regexp.MustCompile("[.!?][\"')\\]`*_]*\\s+[\\pLu0-9\"'(\\[`*]")

// FirstSentences is a text's first sentence, and the second where both together have at most that
// many characters. A first sentence that is longer ends at a word, with an ellipsis.
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

// ends are where the sentences of a line end, but for the last.
func ends(line string) (at []int) {
	for _, m := range sentenceEnd.FindAllStringIndex(line, -1) {
		before := line[:m[0]+1]
		if word := before[strings.LastIndexAny(before, " (")+1:]; strings.Count(word, ".") > 1 && len(word) <= 4 {
			continue // e.g., i.e.
		}
		at = append(at, m[0]+len(strings.TrimRight(strings.TrimRightFunc(line[m[0]:m[1]], func(r rune) bool { return r != ' ' }), " ")))
	}
	return at
}

// CutWord shortens a line to at most that many characters, at the end of a word, the last of them
// an ellipsis.
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
