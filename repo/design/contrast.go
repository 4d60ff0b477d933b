package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// judgeContrast compares the text colour with the background if one rule sets both and both are known.
// WCAG 2.2, 1.4.3 requires 4.5:1, and 3:1 for large text; disabled elements are exempt.
func (s *changedFile) judgeContrast(rule *stylesheet.StyleRule, dialect string) {
	if len(rule.Selectors) == 0 || isDisabled(rule.Selectors) {
		return
	}
	text, ground, touched := s.colourPair(rule)
	if text == nil || ground == nil || touched < 0 {
		return
	}
	front, ok := stylesheet.ParseColour(s.tokens.Expand(text.Raw))
	back, known := stylesheet.ParseColour(s.tokens.Expand(ground.Raw))
	if !ok || !known || back.A < 1 {
		return // the colour behind a transparent background is unknown
	}
	need := s.neededRatio(rule)
	ratio := front.Over(back).Contrast(back)
	if ratio >= need {
		return
	}
	what := fmt.Sprintf("text %s on %s has a contrast of %s:1, below %s:1", text.Raw, ground.Raw,
		strconv.FormatFloat(math.Floor(ratio*100)/100, 'f', 2, 64), strconv.FormatFloat(need, 'f', -1, 64))
	s.addSuspicion(touched, lowContrast, what, func() string { return s.tokens.ContrastCure(front, back, need, dialect) })
}

// colourPair returns the last text colour and the last background of a rule, and where the change wrote
// one of them or the font size or weight; -1 if it did not.
func (s *changedFile) colourPair(rule *stylesheet.StyleRule) (text, ground *stylesheet.Decl, touched int) {
	touched = -1
	for i := range rule.Decls {
		d := &rule.Decls[i]
		switch d.Prop {
		case "color":
			text = d
		case "background", "background-color":
			ground = d
		case "font-size", "font-weight":
		default:
			continue
		}
		if touched < 0 && s.wroteLines(d.At, d.End()) {
			touched = d.At
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

// neededRatio returns the contrast ratio that a rule's text must reach, which depends on its size and
// weight.
func (s *changedFile) neededRatio(rule *stylesheet.StyleRule) float64 {
	size, weight := 0.0, 400.0
	for _, d := range rule.Decls {
		value := s.tokens.Expand(d.Raw)
		switch d.Prop {
		case "font-size":
			size, _ = stylesheet.ParseLength(value, false)
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
