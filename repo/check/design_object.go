package check

import (
	"regexp"
	"strings"
)

// maxObject is the longest style that is read: objects nest, and each would be read anew.
const maxObject = 1 << 14

// judgeObject reads style={{ … }} of JSX and :style="{ … }" of Vue.
func (s *source) judgeObject(a *attribute) {
	open := strings.IndexByte(a.value, '{')
	if len(a.value) > maxObject || open < 0 || strings.TrimSpace(a.value[:open]) != "" {
		return // a name, a list: not known here
	}
	end, ok := afterBraces(a.value, open)
	if !ok || strings.TrimSpace(a.value[end:]) != "" {
		return
	}
	var decls []decl
	for _, p := range pairs(a.value[open+1:end-1], a.inside+open+1) {
		if text, ok := literalValue(p.value); ok {
			decls = append(decls, decl{prop: p.key, at: p.at, raw: text, value: lex(text, p.valueAt)})
		}
	}
	s.suspectInline(decls)
}

type pair struct {
	key, value  string
	at, valueAt int
}

// pairs are the keys and values between the outer commas of an object.
func pairs(text string, base int) []pair {
	var out []pair
	depth, start, colon := 0, 0, -1
	for i := 0; i <= len(text); {
		if i == len(text) || text[i] == ',' && depth == 0 {
			if colon >= 0 {
				key, value := text[start:colon], text[colon+1:i]
				out = append(out, pair{
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
			i = max(afterString(text, i), i+1)
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

// literalValue is the text of a string or a number.
func literalValue(expr string) (string, bool) {
	if plainNumber.MatchString(expr) {
		return expr, true
	}
	text, ok := literalString(expr)
	return text, ok && strings.TrimSpace(text) != ""
}
