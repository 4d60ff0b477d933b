package design

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/internal/token"
)

// judgeSheets applies the rules for stylesheets.
func (s *changedFile) judgeSheets() {
	dialect := dialectOf(s.path)
	calm := slices.ContainsFunc(s.sheets, func(sh *stylesheet.Sheet) bool { return sh.HasReducedMotionRule })
	for _, sh := range s.sheets {
		for _, rule := range sh.Rules {
			for _, d := range rule.Decls {
				s.judgeImportant(rule, d)
				if d.DefinesName() || !s.wroteLines(d.At, d.End()) {
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

// judgeImportant reports !important, except in rules that reduce motion: these have to win over all
// others.
func (s *changedFile) judgeImportant(rule *stylesheet.StyleRule, d stylesheet.Decl) {
	if d.Important < 0 || !s.wroteLines(d.Important, d.Important) || rule.InAtRule("reduced-motion") {
		return
	}
	s.addSuspicion(d.Important, important, "!important on "+d.Prop,
		fixedCure("give the selector the weight it needs, or move the rule behind the one that wins"))
}

// judgeColours reports literal colours if the project has colour tokens.
func (s *changedFile) judgeColours(d stylesheet.Decl, dialect string) {
	if len(s.tokens.Colours) == 0 {
		return
	}
	unnamed := -1 // up to this index, a name is an argument of another function and not a colour
	for i := 0; i < len(d.Value); i++ {
		w := d.Value[i]
		text, end := w.Text, i
		switch w.Kind {
		case css.FunctionToken:
			name := strings.ToLower(strings.TrimSuffix(w.Text, "("))
			if name == "var" || name == "url" || name == "color-mix" {
				i = stylesheet.ClosingBracket(d.Value, i) // skip a fallback, a name or a mixture with white
				continue
			}
			if !stylesheet.IsColourFunction(name) {
				if i > unnamed && !strings.HasSuffix(name, "gradient") && name != "drop-shadow" && name != "light-dark" {
					unnamed = stylesheet.ClosingBracket(d.Value, i)
				}
				continue
			}
			end = stylesheet.ClosingBracket(d.Value, i)
			text = stylesheet.TextOf(d.Value[i : end+1])
		case css.HashToken:
		case css.IdentToken:
			if i <= unnamed || !takesColour(d.Prop) || i > 0 && d.Value[i-1].Kind == css.DelimToken {
				continue
			}
		default:
			continue
		}
		if c, ok := stylesheet.ParseColour(text); ok && s.wroteLines(w.At, w.At) {
			s.addSuspicion(w.At, literalColour, "literal colour "+text, func() string { return s.tokens.ColourCure(c, dialect) })
		}
		i = end
	}
}

// takesColour reports whether a name in a property's value can be a colour: tan is one in a background,
// but not in an animation. The colours of a mask only set its transparency.
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

// judgeSpacing reports literal lengths in px and rem if the project has tokens for them. A length up to
// one pixel is a hairline and not a distance, and lengths in calc() and clamp() are part of a
// calculation: these are not reported.
func (s *changedFile) judgeSpacing(d stylesheet.Decl, dialect string) {
	use := token.PurposeOfProperty(d.Prop)
	if s.tokens.Kinds&use == 0 || slices.ContainsFunc(d.Value, func(w stylesheet.Word) bool { return w.Is(css.DelimToken, "*") }) {
		return
	}
	for i := 0; i < len(d.Value); i++ {
		w := d.Value[i]
		if w.Kind == css.FunctionToken {
			i = stylesheet.ClosingBracket(d.Value, i)
			continue
		}
		px, ok := stylesheet.ParseLength(w.Text, false)
		round := use == token.ForRadius && px >= 999 // a pill, which is as round as possible
		if w.Kind != css.DimensionToken || !ok || px >= -1 && px <= 1 || round || !s.wroteLines(w.At, w.At) {
			continue
		}
		s.addSuspicion(w.At, magicSpacing, "literal "+d.Prop+" "+w.Text, func() string { return s.tokens.LengthCure(px, use, dialect) })
		if d.Prop == "font" {
			return // the next length is the line height
		}
	}
}

// judgeMotion reports infinite animations and motion of more than 200 ms. It is only called if nothing
// in the file refers to prefers-reduced-motion.
func (s *changedFile) judgeMotion(d stylesheet.Decl) {
	prop := strings.TrimPrefix(d.Prop, "-webkit-")
	what, _, _ := strings.Cut(prop, "-")
	switch prop {
	case "animation", "animation-duration", "animation-iteration-count", "transition", "transition-duration":
	default:
		return
	}
	ms, infinite := stylesheet.LongestDuration(stylesheet.Lex(s.tokens.Expand(d.Raw), 0))
	how := "infinite " + what
	if !infinite || what != "animation" {
		if ms <= 200 {
			return
		}
		how = fmt.Sprintf("%s of %sms", what, strconv.FormatFloat(ms, 'f', -1, 64))
	}
	s.addSuspicion(d.At, motion, how+" in a file without prefers-reduced-motion",
		fixedCure("keep it to 200ms, or stop it in @media (prefers-reduced-motion: reduce)"))
}
