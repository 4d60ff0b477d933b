package stylesheet

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// IsNothing reports whether a value consists only of none, transparent or zeros.
func IsNothing(d Decl) bool {
	for _, w := range d.Value {
		switch w.Kind {
		case css.WhitespaceToken:
		case css.IdentToken:
			if text := strings.ToLower(w.Text); text != "none" && text != "transparent" {
				return false
			}
		case css.NumberToken, css.DimensionToken:
			if strings.Trim(w.Text, "0.pxrem") != "" {
				return false
			}
		default:
			return false
		}
	}
	return len(d.Value) > 0
}

func TextOf(ws []Word) string {
	var out strings.Builder
	for _, w := range ws {
		out.WriteString(w.Text)
	}
	return out.String()
}

// LongestDuration returns the longest duration in a value, and whether the value contains infinite.
// Only the first time of each part counts, since the second one is the delay.
func LongestDuration(value []Word) (ms float64, infinite bool) {
	first := true
	for i := 0; i < len(value); i++ {
		switch w := value[i]; w.Kind {
		case css.FunctionToken:
			i = ClosingBracket(value, i)
		case css.CommaToken:
			first = true
		case css.IdentToken:
			infinite = infinite || strings.EqualFold(w.Text, "infinite")
		case css.DimensionToken:
			if v, ok := parseTime(w.Text); ok && first {
				ms, first = max(ms, v), false
			}
		}
	}
	return ms, infinite
}

func parseTime(text string) (ms float64, ok bool) {
	scale := 1.0
	number, ok := strings.CutSuffix(strings.ToLower(text), "ms")
	if !ok {
		if number, ok = strings.CutSuffix(number, "s"); !ok {
			return 0, false
		}
		scale = 1000
	}
	v, err := strconv.ParseFloat(number, 64)
	return v * scale, err == nil
}

// rem is the size of one rem in pixels, as browsers have it by default.
const rem = 16

// ParseLength parses one length in px or rem or, if bare is true, a number without a unit, as a theme
// may hold it.
func ParseLength(text string, bare bool) (px float64, ok bool) {
	scale := 1.0
	number, isPx := strings.CutSuffix(strings.ToLower(strings.TrimSpace(text)), "px")
	if !isPx {
		var isRem bool
		if number, isRem = strings.CutSuffix(number, "rem"); isRem {
			scale = rem
		} else if !bare {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	return v * scale, err == nil && v > -1e6 && v < 1e6
}

// ClosingBracket returns the index of the bracket that closes the one at i, or the index of the last
// word.
func ClosingBracket(ws []Word, i int) int {
	depth := 0
	for ; i < len(ws); i++ {
		switch ws[i].Kind {
		case css.FunctionToken, css.LeftParenthesisToken:
			depth++
		case css.RightParenthesisToken:
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(ws) - 1
}
