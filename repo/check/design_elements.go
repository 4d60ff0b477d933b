package check

import (
	"slices"
	"strings"
)

// judgeElements applies the rules for markup.
func (s *source) judgeElements() {
	labelled, anyFor := labels(s.elements)
	for _, e := range s.elements {
		s.judgeInline(e)
		s.judgeClasses(e)
		if !s.edited(e.at, e.end-1) {
			continue
		}
		s.judgeClick(e)
		switch e.name {
		case "img":
			if e.attr("alt") == nil && !e.spread {
				s.suspect(e.at, imageAlt, "<img> without alt", words(`say in alt what it shows, or write alt="" where it only adorns`))
			}
		case "button":
			if e.closed && !e.named && !e.spread && !e.names() && !e.says("aria-labelledby") {
				s.suspect(e.at, buttonName, "<button> with neither text nor aria-label", words("name in aria-label what it does"))
			}
		case "input", "select", "textarea":
			s.judgeLabel(e, labelled, anyFor)
		}
	}
}

// labels are the ids that labels are for, and whether some label's is worked out elsewhere.
func labels(elements []*element) (ids map[string]bool, dynamic bool) {
	ids = map[string]bool{}
	for _, e := range elements {
		if !isLabel(e.name) {
			continue
		}
		if a := e.attr("for", "htmlfor"); a != nil {
			ids[a.value] = true
			dynamic = dynamic || a.dynamic()
		}
	}
	return ids, dynamic
}

func (s *source) judgeLabel(e *element, labelled map[string]bool, anyFor bool) {
	if a := e.attr("type"); a != nil && e.name == "input" {
		switch strings.ToLower(a.value) {
		case "hidden", "submit", "button", "reset", "image":
			return
		}
	}
	if e.spread || e.wrapped || e.attr("hidden") != nil || e.says("aria-label", "aria-labelledby", "title") {
		return
	}
	if id := e.attr("id"); id != nil && (labelled[id.value] || id.dynamic() && anyFor) {
		return
	}
	s.suspect(e.at, noLabel, "<"+e.name+"> without a label",
		words("put it into a <label>, or give it an id and a label for that, or an aria-label"))
}

// isInert names the elements that no keyboard comes to by itself.
func isInert(name string) bool {
	switch name {
	case "div", "span", "p", "li", "ul", "ol", "dl", "dt", "dd", "img", "svg", "section", "article", "aside", "header",
		"footer", "main", "nav", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "td", "th",
		"figure", "figcaption", "blockquote", "pre", "code", "em", "strong", "b", "i", "small", "u", "mark", "time", "address":
		return true
	}
	return false
}

func (s *source) judgeClick(e *element) {
	click := e.attr("onclick")
	if click == nil || !isInert(e.name) || e.spread {
		return
	}
	var missing []string
	for _, name := range []string{"role", "tabindex"} {
		if !e.says(name) {
			missing = append(missing, name)
		}
	}
	if e.jsx && e.attr("onkeydown", "onkeyup", "onkeypress") == nil {
		missing = append(missing, "onKeyDown")
	}
	if len(missing) > 0 {
		s.suspect(click.at, clickTarget, "click on <"+e.name+"> without "+strings.Join(missing, ", "),
			words("make it a <button>, or a link where it leads somewhere"))
	}
}

// judgeInline finds values that are written into a style attribute.
func (s *source) judgeInline(e *element) {
	for i := range e.attrs {
		switch a := &e.attrs[i]; {
		case a.name == "style" && a.bound:
			s.judgeObject(a)
		case a.name == "style":
			top := parseSheet(a.hidden, a.inside, "css").rules[0]
			s.suspectInline(top.decls)
		case strings.HasPrefix(a.name, "style:") && !strings.HasPrefix(a.name, "style:--") && !a.dynamic():
			s.suspectInline([]decl{{prop: a.name[len("style:"):], at: a.at, raw: a.value, value: lex(a.value, a.inside)}})
		}
	}
}

// suspectInline takes the first declaration of an attribute that the change wrote and that
// holds more than the values of others.
func (s *source) suspectInline(decls []decl) {
	for _, d := range decls {
		if d.defines() || d.prop == "display" && strings.EqualFold(d.raw, "none") || !isLiteral(d) || !s.touched(d.at, d.end()) {
			continue
		}
		s.suspect(d.at, inlineStyle, "inline style "+d.prop+": "+strings.ReplaceAll(d.raw, string(masked), "…"),
			func() string { return "move it to a class" + s.tokens.inClass(d) })
		return
	}
}

// inClass names the token that a class would use for a value.
func (t *tokens) inClass(d decl) string {
	if c, ok := parseColour(d.raw); ok {
		if k, exact := t.colour(c, "css"); exact {
			return ", with " + k.written("css")
		}
	}
	use := measures(d.prop)
	if px, ok := parseLength(d.raw, false); ok && use != 0 {
		if k, exact := t.length(px, use, "css"); exact {
			return ", with " + k.written("css")
		}
	}
	return " of a stylesheet"
}

// isLiteral says whether a value holds more than var() and what a template fills in.
func isLiteral(d decl) bool {
	if slices.ContainsFunc(d.value, func(w word) bool { return strings.IndexByte(w.text, masked) >= 0 }) {
		return false
	}
	literal := false
	for i := 0; i < len(d.value); i++ {
		text := d.value[i].text
		switch {
		case strings.EqualFold(text, "var("):
			i = closing(d.value, i)
		case strings.TrimSpace(text) != "":
			literal = true
		}
	}
	return literal
}
