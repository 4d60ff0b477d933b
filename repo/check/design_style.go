package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// judgeSheets applies the rules for stylesheets.
func (s *source) judgeSheets() {
	dialect := dialectOf(s.path)
	calm := slices.ContainsFunc(s.sheets, func(sh *sheet) bool { return sh.calm })
	for _, sh := range s.sheets {
		for _, rule := range sh.rules {
			for _, d := range rule.decls {
				s.judgeImportant(rule, d)
				if d.defines() || !s.touched(d.at, d.end()) {
					continue
				}
				s.judgeColours(d, dialect)
				s.judgeSpacing(d, dialect)
				if !calm {
					s.judgeMotion(d)
				}
			}
			s.judgeContrast(rule, dialect)
		}
	}
	s.judgeFocus()
}

func dialectOf(name string) string {
	for _, dialect := range []string{"scss", "less"} {
		if strings.HasSuffix(name, "."+dialect) {
			return dialect
		}
	}
	return "css"
}

func (d decl) end() int {
	if len(d.value) == 0 {
		return d.at
	}
	return d.value[len(d.value)-1].at
}

// judgeImportant lets one use pass: whoever calms all motion down has to win.
func (s *source) judgeImportant(rule *styleRule, d decl) {
	if d.important < 0 || !s.touched(d.important, d.important) || rule.within("reduced-motion") {
		return
	}
	s.suspect(d.important, important, "!important on "+d.prop,
		words("give the selector the weight it needs, or move the rule behind the one that wins"))
}

// judgeColours finds colours that are written out where the project has names for some.
func (s *source) judgeColours(d decl, dialect string) {
	if len(s.tokens.colours) == 0 {
		return
	}
	unnamed := -1 // up to here a name is no colour, but what some function wants
	for i := 0; i < len(d.value); i++ {
		w := d.value[i]
		text, end := w.text, i
		switch w.kind {
		case css.FunctionToken:
			name := strings.ToLower(strings.TrimSuffix(w.text, "("))
			if name == "var" || name == "url" || name == "color-mix" {
				i = closing(d.value, i) // a fallback, a name, a mixture with white
				continue
			}
			if !isColourFunction(name) {
				if i > unnamed && !strings.HasSuffix(name, "gradient") && name != "drop-shadow" && name != "light-dark" {
					unnamed = closing(d.value, i)
				}
				continue
			}
			end = closing(d.value, i)
			text = textOf(d.value[i : end+1])
		case css.HashToken:
		case css.IdentToken:
			if i <= unnamed || !takesColour(d.prop) || i > 0 && d.value[i-1].kind == css.DelimToken {
				continue
			}
		default:
			continue
		}
		if c, ok := parseColour(text); ok && s.touched(w.at, w.at) {
			s.suspect(w.at, literalColour, "literal colour "+text, func() string { return s.tokens.colourCure(c, dialect) })
		}
		i = end
	}
}

func textOf(ws []word) string {
	var out strings.Builder
	for _, w := range ws {
		out.WriteString(w.text)
	}
	return out.String()
}

// takesColour says whether a name in a property's value can be a colour: tan is one as a
// background, not as an animation. A mask's colours are its transparency.
func takesColour(prop string) bool {
	if strings.Contains(prop, "mask") || strings.HasSuffix(prop, "-name") {
		return false
	}
	for _, part := range []string{"color", "background", "border", "outline", "shadow", "fill", "stroke", "text-decoration", "text-emphasis", "column-rule"} {
		if strings.Contains(prop, part) {
			return true
		}
	}
	return false
}

// measures says what the lengths of a property are for; 0: they may be written out.
func measures(prop string) int {
	switch {
	case prop == "font-size" || prop == "font":
		return forFont
	case strings.HasPrefix(prop, "border") && strings.HasSuffix(prop, "-radius"):
		return forRadius
	case prop == "gap" || strings.HasSuffix(prop, "-gap"),
		strings.HasPrefix(prop, "margin"), strings.HasPrefix(prop, "padding"),
		strings.HasPrefix(prop, "scroll-margin"), strings.HasPrefix(prop, "scroll-padding"):
		return forSpace
	}
	return 0
}

// judgeSpacing finds lengths in px and rem that are written out where the project has
// tokens for them. Up to one pixel they are a hair, not a distance; in calc() and clamp()
// they are part of a thought.
func (s *source) judgeSpacing(d decl, dialect string) {
	use := measures(d.prop)
	if s.tokens.kinds&use == 0 || slices.ContainsFunc(d.value, func(w word) bool { return w.is(css.DelimToken, "*") }) {
		return
	}
	for i := 0; i < len(d.value); i++ {
		w := d.value[i]
		if w.kind == css.FunctionToken {
			i = closing(d.value, i)
			continue
		}
		px, ok := parseLength(w.text, false)
		round := use == forRadius && px >= 999 // a pill, as round as can be
		if w.kind != css.DimensionToken || !ok || px >= -1 && px <= 1 || round || !s.touched(w.at, w.at) {
			continue
		}
		s.suspect(w.at, magicSpacing, "literal "+d.prop+" "+w.text, func() string { return s.tokens.lengthCure(px, use, dialect) })
		if d.prop == "font" {
			return // what follows is the line's height
		}
	}
}

// judgeMotion is asked where nothing in the file minds prefers-reduced-motion.
func (s *source) judgeMotion(d decl) {
	prop := strings.TrimPrefix(d.prop, "-webkit-")
	what, _, _ := strings.Cut(prop, "-")
	switch prop {
	case "animation", "animation-duration", "animation-iteration-count", "transition", "transition-duration":
	default:
		return
	}
	ms, infinite := longest(lex(s.tokens.expand(d.raw), 0))
	how := "infinite " + what
	if !infinite || what != "animation" {
		if ms <= 200 {
			return
		}
		how = fmt.Sprintf("%s of %sms", what, strconv.FormatFloat(ms, 'f', -1, 64))
	}
	s.suspect(d.at, motion, how+" in a file without prefers-reduced-motion",
		words("keep it to 200ms, or stop it in @media (prefers-reduced-motion: reduce)"))
}

// longest is the longest duration in a value: of each part the first time, the second
// being its delay.
func longest(value []word) (ms float64, infinite bool) {
	first := true
	for i := 0; i < len(value); i++ {
		switch w := value[i]; w.kind {
		case css.FunctionToken:
			i = closing(value, i)
		case css.CommaToken:
			first = true
		case css.IdentToken:
			infinite = infinite || strings.EqualFold(w.text, "infinite")
		case css.DimensionToken:
			if v, ok := parseTime(w.text); ok && first {
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
