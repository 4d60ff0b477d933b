package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// judgeContrast compares the text with the background where one rule sets both and both
// are known. WCAG 2.2, 1.4.3: 4.5:1, large text 3:1; what is disabled is free.
func (s *source) judgeContrast(rule *styleRule, dialect string) {
	if len(rule.selectors) == 0 || isDisabled(rule.selectors) {
		return
	}
	text, ground, touched := s.pair(rule)
	if text == nil || ground == nil || touched < 0 {
		return
	}
	front, ok := parseColour(s.tokens.expand(text.raw))
	back, known := parseColour(s.tokens.expand(ground.raw))
	if !ok || !known || back.a < 1 {
		return // what shines through is not known
	}
	need := s.needed(rule)
	ratio := front.over(back).contrast(back)
	if ratio >= need {
		return
	}
	what := fmt.Sprintf("text %s on %s has a contrast of %s:1, below %s:1", text.raw, ground.raw,
		strconv.FormatFloat(math.Floor(ratio*100)/100, 'f', 2, 64), strconv.FormatFloat(need, 'f', -1, 64))
	s.suspect(touched, lowContrast, what, func() string { return s.tokens.contrastCure(front, back, need, dialect) })
}

// pair is the last colour and the last background of a rule, and where the change wrote
// one of them or the size; -1: it did not.
func (s *source) pair(rule *styleRule) (text, ground *decl, touched int) {
	touched = -1
	for i := range rule.decls {
		d := &rule.decls[i]
		switch d.prop {
		case "color":
			text = d
		case "background", "background-color":
			ground = d
		case "font-size", "font-weight":
		default:
			continue
		}
		if touched < 0 && s.touched(d.at, d.end()) {
			touched = d.at
		}
	}
	return text, ground, touched
}

func isDisabled(selectors []string) bool {
	for _, sel := range selectors {
		if !strings.Contains(sel, "disabled") || strings.Contains(sel, ":not(") {
			return false
		}
	}
	return true
}

// needed is the ratio that a rule's text has to reach, by its size.
func (s *source) needed(rule *styleRule) float64 {
	size, weight := 0.0, 400.0
	for _, d := range rule.decls {
		value := s.tokens.expand(d.raw)
		switch d.prop {
		case "font-size":
			size, _ = parseLength(value, false)
			if points, ok := strings.CutSuffix(value, "pt"); ok {
				v, _ := strconv.ParseFloat(points, 64)
				size = v * 4 / 3
			}
		case "font-weight":
			if weight, _ = strconv.ParseFloat(value, 64); strings.HasPrefix(value, "bold") {
				weight = 700
			}
		}
	}
	if size >= 24 || size >= 18.66 && weight >= 700 {
		return 3
	}
	return 4.5
}

// contrastCure names the token next to the text's colour that is far enough from the
// background.
func (t *tokens) contrastCure(front, back colour, need float64, dialect string) string {
	k, _ := nearest(t.colours, dialect, func(k *token) float64 {
		if k.colour.over(back).contrast(back) < need {
			return math.Inf(1)
		}
		return max(k.colour.distance(front), 1e-9)
	})
	if k == nil {
		return fmt.Sprintf("make the text darker or the background lighter, or the other way round, to %s:1", strconv.FormatFloat(need, 'f', -1, 64))
	}
	return fmt.Sprintf("%s as the text reaches %.1f:1", k.written(dialect), math.Floor(k.colour.over(back).contrast(back)*10)/10)
}
