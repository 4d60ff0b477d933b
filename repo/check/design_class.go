package check

import (
	"regexp"
	"strings"
)

// arbitrary is a class of Tailwind that carries its value: p-[13px], hover:bg-[#0af].
var arbitrary = regexp.MustCompile("(?:^|[\\s\"'`:!])(-?)([a-z]+)(?:-[a-z]+)?-\\[([^\\]\\s]+)\\]")

// judgeClasses finds in classes what judgeColours and judgeSpacing find in stylesheets.
func (s *source) judgeClasses(e *element) {
	a := e.attr("class", "classname")
	if a == nil || len(a.value) > maxObject {
		return
	}
	for _, m := range arbitrary.FindAllStringSubmatchIndex(a.value, -1) {
		at := a.inside + m[2]
		if !s.touched(at, at) {
			continue
		}
		whole, kind, value := a.value[m[2]:m[1]], a.value[m[4]:m[5]], strings.ReplaceAll(a.value[m[6]:m[7]], "_", " ")
		// A bare name may be the one of a grid's line.
		if c, ok := parseColour(value); ok && strings.ContainsAny(value, "#(") && len(s.tokens.colours) > 0 {
			s.suspect(at, literalColour, "literal colour "+whole, func() string { return s.tokens.colourCure(c, "css") })
		}
		use := classMeasures(kind)
		px, ok := parseLength(value, false)
		if ok && s.tokens.kinds&use != 0 && (px < -1 || px > 1) && (use != forRadius || px < 999) {
			if m[2] != m[3] {
				px = -px
			}
			s.suspect(at, magicSpacing, "literal size "+whole, func() string { return s.tokens.lengthCure(px, use, "css") })
		}
	}
}

// classMeasures is measures for the beginnings of classes.
func classMeasures(kind string) int {
	switch kind {
	case "text":
		return forFont
	case "rounded":
		return forRadius
	case "p", "px", "py", "pt", "pr", "pb", "pl", "ps", "pe", "m", "mx", "my", "mt", "mr", "mb", "ml", "ms", "me", "gap", "space":
		return forSpace
	}
	return 0
}
