package check

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/html"
)

// markupReader builds elements and stylesheets from the tokens of HTML.
type markupReader struct {
	nesting
	text     string // as it stands
	hidden   string // with its templates masked; of the same length
	kind     string
	current  *element // whose tag is open
	elements []*element
	sheets   []*sheet
}

// parseMarkup reads HTML and what looks like it.
func parseMarkup(text, kind string) ([]*element, []*sheet) {
	r := &markupReader{nesting: nesting{count: map[string]int{}}, text: text, hidden: maskTemplates(text, kind), kind: kind}
	input := parse.NewInputString(r.hidden) // a copy: the lexer writes lower case into it
	lexer := html.NewLexer(input)
	for {
		kind, data := lexer.Next()
		if kind == html.ErrorToken {
			return r.elements, r.sheets
		}
		r.take(kind, input.Offset()-len(data), input.Offset(), lexer)
	}
}

func (r *markupReader) take(kind html.TokenType, from, to int, lexer *html.Lexer) {
	switch kind {
	case html.StartTagToken:
		r.current = &element{name: r.text[from+1 : to], at: from, end: to, wrapped: r.labels > 0}
		if r.kind != "vue" && r.kind != "svelte" {
			r.current.name = strings.ToLower(r.current.name)
		}
		r.elements = append(r.elements, r.current)
	case html.AttributeToken:
		if r.current != nil {
			r.attribute(from, to, len(lexer.AttrVal()))
		}
	case html.StartTagCloseToken, html.StartTagVoidToken:
		r.finish(to, kind == html.StartTagVoidToken)
	case html.EndTagToken:
		name := strings.TrimSpace(strings.TrimRight(r.text[from+2:to], ">"))
		if r.kind != "vue" && r.kind != "svelte" {
			name = strings.ToLower(name)
		}
		r.close(name)
	case html.TextToken:
		r.content(from, to)
	case html.SVGToken, html.MathToken:
		if data := r.text[from:to]; strings.Contains(data, "<title") || strings.Contains(data, "aria-label") {
			r.read()
		}
	}
}

func (r *markupReader) finish(to int, void bool) {
	e := r.current
	if r.current = nil; e == nil {
		return
	}
	e.end = to
	if void || isVoid(e.name) {
		r.leave(e)
		return
	}
	r.push(e)
}

// content is what stands between tags; in a style element it is a stylesheet.
func (r *markupReader) content(from, to int) {
	var around *element
	if len(r.open) > 0 {
		around = r.open[len(r.open)-1]
	}
	switch {
	case around != nil && around.name == "style":
		dialect := "css"
		if lang := around.attr("lang"); lang != nil {
			dialect = strings.ToLower(lang.value)
		}
		if dialect == "css" || dialect == "scss" || dialect == "less" || dialect == "postcss" {
			r.sheets = append(r.sheets, parseSheet(r.hidden[from:to], from, dialect))
		}
	case around != nil && around.name == "script":
	case strings.TrimSpace(r.hidden[from:to]) != "":
		r.read()
	}
}

// attribute takes what stands from one offset to another, of which the last bytes are the
// value.
func (r *markupReader) attribute(from, to, value int) {
	e := r.current
	from += len(r.hidden[from:to]) - len(strings.TrimLeft(r.hidden[from:to], " \t\r\n\f"))
	a := attribute{at: from, inside: to - value}
	name := strings.TrimRight(r.hidden[from:a.inside], " \t\r\n\f=")
	if strings.IndexByte(name, masked) >= 0 {
		visible := strings.FieldsFunc(name, func(c rune) bool { return c == masked })
		whole := r.text[from : from+len(name)]
		short := strings.Trim(whole, "{}")
		switch {
		case len(visible) > 0:
			name = visible[0]
		case r.kind == "svelte" && isName(short):
			e.attrs = append(e.attrs, attribute{name: short, value: short, bound: true, at: from, inside: from})
			return
		default:
			e.spread = e.spread || !isControl(whole)
			return
		}
	}
	a.name, a.bound = plainName(name)
	if a.name == "bind" || a.name == "v-bind" {
		e.spread = true
	}
	if value > 0 && (r.hidden[a.inside] == '"' || r.hidden[a.inside] == '\'') {
		a.inside++
		value--
		if value > 0 && r.hidden[to-1] == r.hidden[a.inside-1] {
			value--
		}
	}
	a.value, a.hidden = r.text[a.inside:a.inside+value], r.hidden[a.inside:a.inside+value]
	e.attrs = append(e.attrs, a)
}

func isName(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) {
			return false
		}
	}
	return text != ""
}

// isControl tells a condition of a template from what writes attributes.
func isControl(text string) bool {
	text = strings.TrimLeft(text, "{<%- \t")
	for _, word := range []string{"if", "else", "end", "with", "range", "/*", "unless", "for"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// maskTemplates hides what a template engine fills in, so that the brackets and quotes in
// it do not count.
func maskTemplates(text, kind string) string {
	if kind == "svelte" {
		return maskBraces(text)
	}
	pairs := [][2]string{{"{{", "}}"}}
	if kind != "vue" {
		pairs = append(pairs, [2]string{"{%", "%}"}, [2]string{"<%", "%>"}, [2]string{"<?", "?>"}, [2]string{"${", "}"})
	}
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '{' && c != '<' && c != '$' {
			continue
		}
		for p, pair := range pairs {
			if !strings.HasPrefix(text[i:], pair[0]) {
				continue
			}
			end := templateEnd(text, i+2, pair[1])
			if end < 0 { // nor will a later one end
				pairs = append(pairs[:p:p], pairs[p+1:]...)
				break
			}
			blank(out[i:end], masked)
			i = end - 1
			break
		}
	}
	return string(out)
}

// templateEnd looks once behind an end that stands in a string.
func templateEnd(text string, from int, end string) int {
	i := strings.Index(text[from:], end)
	if i < 0 {
		return -1
	}
	to := from + i + len(end)
	if strings.Count(text[from:to], `"`)%2 == 1 {
		line := upToLineEnd(text[to:min(len(text), to+200)])
		if i := strings.Index(line, end); i >= 0 {
			to += i + len(end)
		}
	}
	return to
}

// maskBraces hides the expressions of Svelte, not those of its scripts and styles.
func maskBraces(text string) string {
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '{':
			end, ok := afterBraces(text, i)
			if !ok {
				return string(out)
			}
			blank(out[i:end], masked)
			i = end - 1
		case strings.HasPrefix(text[i:], "<!--"):
			i = after(text, i+4, "-->") - 1
		case strings.HasPrefix(text[i:], "<script"):
			i = after(text, i+7, "</script") - 1
		case strings.HasPrefix(text[i:], "<style"):
			i = after(text, i+6, "</style") - 1
		}
	}
	return string(out)
}

// afterBraces is the offset behind the brace that closes the one at i, and whether there
// is one. Strings and comments of the script in between do not count.
func afterBraces(text string, i int) (int, bool) {
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i = afterString(text, i)
			continue
		case c == '`':
			if end := strings.IndexByte(text[i+1:], '`'); end >= 0 {
				i += end + 1
			}
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/")
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return i, false
}
