package design

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/internal/token"
)

// arbitrary matches a Tailwind class that contains its value: p-[13px], hover:bg-[#0af].
var arbitrary = regexp.MustCompile("(?:^|[\\s\"'`:!])(-?)([a-z]+)(?:-[a-z]+)?-\\[([^\\]\\s]+)\\]")

// judgeClasses applies the rules of judgeColours and judgeSpacing to an element's classes.
func (s *changedFile) judgeClasses(e *markup.Element) {
	a := e.Attr("class", "classname")
	if a == nil || len(a.Value) > maxObject {
		return
	}
	for _, m := range arbitrary.FindAllStringSubmatchIndex(a.Value, -1) {
		at := a.Inside + m[2]
		if !s.wroteLines(at, at) {
			continue
		}
		whole, kind, value := a.Value[m[2]:m[1]], a.Value[m[4]:m[5]], strings.ReplaceAll(a.Value[m[6]:m[7]], "_", " ")
		// A bare name is not taken for a colour, since it may name a grid line.
		if c, ok := stylesheet.ParseColour(value); ok && strings.ContainsAny(value, "#(") && len(s.tokens.Colours) > 0 {
			s.addSuspicion(at, literalColour, "literal colour "+whole, func() string { return s.tokens.ColourCure(c, "css") })
		}
		use := classMeasures(kind)
		px, ok := stylesheet.ParseLength(value, false)
		if ok && s.tokens.Kinds&use != 0 && (px < -1 || px > 1) && (use != token.ForRadius || px < 999) {
			if m[2] != m[3] {
				px = -px
			}
			s.addSuspicion(at, magicSpacing, "literal size "+whole, func() string { return s.tokens.LengthCure(px, use, "css") })
		}
	}
}

// classMeasures returns what the lengths of a class with this prefix are for, as
// token.PurposeOfProperty does for properties.
func classMeasures(kind string) int {
	switch kind {
	case "text":
		return token.ForFont
	case "rounded":
		return token.ForRadius
	case "p", "px", "py", "pt", "pr", "pb", "pl", "ps", "pe", "m", "mx", "my", "mt", "mr", "mb", "ml", "ms", "me", "gap", "space":
		return token.ForSpace
	}
	return 0
}
