package markup

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
)

type objectPair struct {
	Key, Value  string
	At, ValueAt int
}

// ObjectPairs splits an object literal at its outer commas into keys and values. base is the offset of
// text in its file.
func ObjectPairs(text string, base int) []objectPair {
	var out []objectPair
	depth, start, colon := 0, 0, -1
	for i := 0; i <= len(text); {
		if i == len(text) || text[i] == ',' && depth == 0 {
			if colon >= 0 {
				key, value := text[start:colon], text[colon+1:i]
				out = append(out, objectPair{
					strings.Trim(strings.TrimSpace(key), "\"'"), strings.TrimSpace(value),
					base + start + blanksBefore(key), base + colon + 1 + blanksBefore(value),
				})
			}
			i++
			start, colon = i, -1
			continue
		}
		switch c := text[i]; c {
		case '"', '\'', '`':
			i = max(source.AfterString(text, i), i+1)
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ':':
			if colon < 0 && depth == 0 {
				colon = i
			}
		}
		i++
	}
	return out
}

func blanksBefore(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\r\n")) }

var plainNumber = regexp.MustCompile(`^-?[0-9]*\.?[0-9]+$`)

// LiteralValue returns the text of an expression that is a string or a number.
func LiteralValue(expr string) (string, bool) {
	if plainNumber.MatchString(expr) {
		return expr, true
	}
	text, ok := literalString(expr)
	return text, ok && strings.TrimSpace(text) != ""
}
