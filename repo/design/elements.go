package design

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/source"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// judgeElements applies the rules for markup.
func (s *changedFile) judgeElements() {
	labelled, anyFor := labelTargets(s.elements)
	for _, e := range s.elements {
		s.judgeInline(e)
		s.judgeClasses(e)
		if !s.changedLines(e.At, e.End-1) {
			continue
		}
		s.judgeClick(e)
		switch e.Name {
		case "img":
			if e.Attr("alt") == nil && !e.Spread {
				s.addSuspicion(e.At, imageAlt, "<img> without alt", fixedCure(`say in alt what it shows, or write alt="" where it only adorns`))
			}
		case "button":
			if e.Closed && !e.HasReadableContent && !e.Spread && !e.NamesParent() && !e.HasText("aria-labelledby") {
				s.addSuspicion(e.At, buttonName, "<button> with neither text nor aria-label", fixedCure("name in aria-label what it does"))
			}
		case "input", "select", "textarea":
			s.judgeLabel(e, labelled, anyFor)
		}
	}
}

// labelTargets returns the ids that labels refer to, and whether a label's id is computed by an
// expression.
func labelTargets(elements []*markup.Element) (ids map[string]bool, dynamic bool) {
	ids = map[string]bool{}
	for _, e := range elements {
		if !markup.IsLabel(e.Name) {
			continue
		}
		if a := e.Attr("for", "htmlfor"); a != nil {
			ids[a.Value] = true
			dynamic = dynamic || a.IsDynamic()
		}
	}
	return ids, dynamic
}

func (s *changedFile) judgeLabel(e *markup.Element, labelled map[string]bool, anyFor bool) {
	if a := e.Attr("type"); a != nil && e.Name == "input" {
		switch strings.ToLower(a.Value) {
		case "hidden", "submit", "button", "reset", "image":
			return
		}
	}
	if e.Spread || e.Wrapped || e.Attr("hidden") != nil || e.HasText("aria-label", "aria-labelledby", "title") {
		return
	}
	if id := e.Attr("id"); id != nil && (labelled[id.Value] || id.IsDynamic() && anyFor) {
		return
	}
	s.addSuspicion(e.At, noLabel, "<"+e.Name+"> without a label",
		fixedCure("put it into a <label>, or give it an id and a label for that, or an aria-label"))
}

// isInert reports whether an element of that name cannot get the keyboard focus by default.
func isInert(name string) bool {
	switch name {
	case "div", "span", "p", "li", "ul", "ol", "dl", "dt", "dd", "img", "svg", "section", "article", "aside", "header",
		"footer", "main", "nav", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "td", "th",
		"figure", "figcaption", "blockquote", "pre", "code", "em", "strong", "b", "i", "small", "u", "mark", "time", "address":
		return true
	}
	return false
}

func (s *changedFile) judgeClick(e *markup.Element) {
	click := e.Attr("onclick")
	if click == nil || !isInert(e.Name) || e.Spread {
		return
	}
	var missing []string
	for _, name := range []string{"role", "tabindex"} {
		if !e.HasText(name) {
			missing = append(missing, name)
		}
	}
	if e.Jsx && e.Attr("onkeydown", "onkeyup", "onkeypress") == nil {
		missing = append(missing, "onKeyDown")
	}
	if len(missing) > 0 {
		s.addSuspicion(click.At, clickTarget, "click on <"+e.Name+"> without "+strings.Join(missing, ", "),
			fixedCure("make it a <button>, or a link where it leads somewhere"))
	}
}

// judgeInline reports literal values in style attributes.
func (s *changedFile) judgeInline(e *markup.Element) {
	for i := range e.Attrs {
		switch a := &e.Attrs[i]; {
		case a.Name == "style" && a.Bound:
			s.judgeObject(a)
		case a.Name == "style":
			top := stylesheet.ParseSheet(a.Hidden, a.Inside, "css").Rules[0]
			s.suspectInline(top.Decls)
		case strings.HasPrefix(a.Name, "style:") && !strings.HasPrefix(a.Name, "style:--") && !a.IsDynamic():
			s.suspectInline([]stylesheet.Decl{{Prop: a.Name[len("style:"):], At: a.At, Raw: a.Value, Value: stylesheet.Lex(a.Value, a.Inside)}})
		}
	}
}

// suspectInline reports the first declaration of an attribute that the change wrote and that has a
// literal value.
func (s *changedFile) suspectInline(decls []stylesheet.Decl) {
	for _, d := range decls {
		if d.DefinesName() || d.Prop == "display" && strings.EqualFold(d.Raw, "none") || !isLiteral(d) || !s.wroteLines(d.At, d.End()) {
			continue
		}
		s.addSuspicion(d.At, inlineStyle, "inline style "+d.Prop+": "+strings.ReplaceAll(d.Raw, string(source.Masked), "…"),
			func() string { return "move it to a class" + s.tokens.InClass(d) })
		return
	}
}

// isLiteral reports whether a value holds more than var() calls and template expressions.
func isLiteral(d stylesheet.Decl) bool {
	if slices.ContainsFunc(d.Value, func(w stylesheet.Word) bool { return strings.IndexByte(w.Text, source.Masked) >= 0 }) {
		return false
	}
	literal := false
	for i := 0; i < len(d.Value); i++ {
		text := d.Value[i].Text
		switch {
		case strings.EqualFold(text, "var("):
			i = stylesheet.ClosingBracket(d.Value, i)
		case strings.TrimSpace(text) != "":
			literal = true
		}
	}
	return literal
}
