package check

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// judgeFocus finds outlines that are taken away with nothing in their place. The place is
// a rule for the same selector with :focus or :focus-visible, anywhere in the file.
func (s *source) judgeFocus() {
	shown := map[string]bool{}
	for _, sh := range s.sheets {
		for _, rule := range sh.rules {
			if !rule.showsFocus() {
				continue
			}
			for _, sel := range rule.selectors {
				if resting := withoutFocus(sel); resting != sel {
					shown[resting] = true
				}
			}
		}
	}
	for _, sh := range s.sheets {
		for _, rule := range sh.rules {
			for _, d := range rule.decls {
				if removesOutline(d) && s.touched(d.at, d.end()) {
					s.suspectFocus(rule, d, shown)
				}
			}
		}
	}
}

func (s *source) suspectFocus(rule *styleRule, d decl, shown map[string]bool) {
	for _, sel := range rule.selectors {
		// Where a keyboard's focus is left alone, or no keyboard comes to, nothing is lost.
		if strings.Contains(sel, ":not(:focus-visible)") || strings.Contains(strings.NewReplacer(`"`, "", "'", "").Replace(sel), "tabindex=-1") {
			continue
		}
		if resting := withoutFocus(sel); !shown[resting] {
			s.suspect(d.at, focusRemoved, d.prop+": "+d.raw+" hides the focus of "+sel,
				words("leave the outline, or add "+resting+":focus-visible with an outline that shows"))
			return
		}
	}
}

// withoutFocus is the selector of the same element at rest.
func withoutFocus(sel string) string {
	sel = strings.ReplaceAll(sel, ":focus-visible", "")
	out := ""
	for {
		before, after, found := strings.Cut(sel, ":focus")
		if !found {
			break
		}
		out += before
		if strings.HasPrefix(after, "-") { // :focus-within is another thing
			out += ":focus"
		}
		sel = after
	}
	out += sel
	if out == "*" {
		return ""
	}
	return out
}

func removesOutline(d decl) bool {
	switch d.prop {
	case "outline", "outline-style", "outline-width":
	default:
		return false
	}
	return isNothing(d)
}

// isNothing says whether a value is only none, 0 and the like.
func isNothing(d decl) bool {
	for _, w := range d.value {
		switch w.kind {
		case css.WhitespaceToken:
		case css.IdentToken:
			if text := strings.ToLower(w.text); text != "none" && text != "transparent" {
				return false
			}
		case css.NumberToken, css.DimensionToken:
			if strings.Trim(w.text, "0.pxrem") != "" {
				return false
			}
		default:
			return false
		}
	}
	return len(d.value) > 0
}

// showsFocus says whether a rule draws something that one sees around or in an element.
func (r *styleRule) showsFocus() bool {
	for _, d := range r.decls {
		for _, prop := range []string{"outline", "box-shadow", "border", "background", "text-decoration"} {
			rest, ok := strings.CutPrefix(d.prop, prop)
			if ok && rest != "-offset" && rest != "-radius" && !isNothing(d) {
				return true
			}
		}
	}
	return r.mixes
}
