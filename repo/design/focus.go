package design

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// judgeFocus reports outlines that are removed without a replacement. A replacement is a rule for the
// same selector with :focus or :focus-visible, anywhere in the file.
func (s *changedFile) judgeFocus() {
	shown := map[string]bool{}
	for _, sh := range s.sheets {
		for _, rule := range sh.Rules {
			if !showsFocus(rule) {
				continue
			}
			for _, sel := range rule.Selectors {
				if resting := withoutFocus(sel); resting != sel {
					shown[resting] = true
				}
			}
		}
	}
	for _, sh := range s.sheets {
		for _, rule := range sh.Rules {
			for _, d := range rule.Decls {
				if removesOutline(d) && s.wroteLines(d.At, d.End()) {
					s.suspectFocus(rule, d, shown)
				}
			}
		}
	}
}

func (s *changedFile) suspectFocus(rule *stylesheet.StyleRule, d stylesheet.Decl, shown map[string]bool) {
	for _, sel := range rule.Selectors {
		// Nothing is lost if the rule spares the focus of a keyboard, or if no keyboard reaches the
		// element.
		if strings.Contains(sel, ":not(:focus-visible)") || strings.Contains(strings.NewReplacer(`"`, "", "'", "").Replace(sel), "tabindex=-1") {
			continue
		}
		if resting := withoutFocus(sel); !shown[resting] {
			s.addSuspicion(d.At, focusRemoved, d.Prop+": "+d.Raw+" hides the focus of "+sel,
				fixedCure("leave the outline, or add "+resting+":focus-visible with an outline that shows"))
			return
		}
	}
}

// withoutFocus returns the selector without :focus and :focus-visible.
func withoutFocus(sel string) string {
	sel = strings.ReplaceAll(sel, ":focus-visible", "")
	out := ""
	for {
		before, after, found := strings.Cut(sel, ":focus")
		if !found {
			break
		}
		out += before
		if strings.HasPrefix(after, "-") { // :focus-within is another pseudo-class
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

func removesOutline(d stylesheet.Decl) bool {
	switch d.Prop {
	case "outline", "outline-style", "outline-width":
	default:
		return false
	}
	return stylesheet.IsNothing(d)
}

// showsFocus reports whether a rule draws something visible around or in an element, or includes a
// mixin that may.
func showsFocus(r *stylesheet.StyleRule) bool {
	for _, d := range r.Decls {
		for _, prop := range []string{"outline", "box-shadow", "border", "background", "text-decoration"} {
			rest, ok := strings.CutPrefix(d.Prop, prop)
			if ok && rest != "-offset" && rest != "-radius" && !stylesheet.IsNothing(d) {
				return true
			}
		}
	}
	return r.TakesMixins
}
