package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/html"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// markupReader builds elements and stylesheets from the tokens of HTML.
type markupReader struct {
	nesting
	text     string // the original text
	hidden   string // the text with its templates masked; of the same length
	kind     string
	current  *Element // the element whose tag is being read
	elements []*Element
	sheets   []*stylesheet.Sheet
}

// ParseMarkup parses HTML or a similar format into elements and stylesheets. kind is the file's
// extension without the dot.
func ParseMarkup(text, kind string) ([]*Element, []*stylesheet.Sheet) {
	r := &markupReader{nesting: nesting{count: map[string]int{}}, text: text, hidden: maskTemplates(text, kind), kind: kind}
	input := parse.NewInputString(r.hidden) // a copy, because the lexer writes lower case into it
	lexer := html.NewLexer(input)
	for {
		kind, data := lexer.Next()
		if kind == html.ErrorToken {
			return r.elements, r.sheets
		}
		r.takeToken(kind, input.Offset()-len(data), input.Offset(), lexer)
	}
}

func (r *markupReader) takeToken(kind html.TokenType, from, to int, lexer *html.Lexer) {
	switch kind {
	case html.StartTagToken:
		r.current = &Element{Name: r.text[from+1 : to], At: from, End: to, Wrapped: r.labels > 0}
		if r.kind != "vue" && r.kind != "svelte" {
			r.current.Name = strings.ToLower(r.current.Name)
		}
		r.elements = append(r.elements, r.current)
	case html.AttributeToken:
		if r.current != nil {
			r.readAttribute(from, to, len(lexer.AttrVal()))
		}
	case html.StartTagCloseToken, html.StartTagVoidToken:
		r.finishTag(to, kind == html.StartTagVoidToken)
	case html.EndTagToken:
		name := strings.TrimSpace(strings.TrimRight(r.text[from+2:to], ">"))
		if r.kind != "vue" && r.kind != "svelte" {
			name = strings.ToLower(name)
		}
		r.closeNamed(name)
	case html.TextToken:
		r.readContent(from, to)
	case html.SVGToken, html.MathToken:
		if data := r.text[from:to]; strings.Contains(data, "<title") || strings.Contains(data, "aria-label") {
			r.markReadable()
		}
	}
}

func (r *markupReader) finishTag(to int, void bool) {
	e := r.current
	if r.current = nil; e == nil {
		return
	}
	e.End = to
	if void || isVoid(e.Name) {
		r.nameParent(e)
		return
	}
	r.openElement(e)
}

// readContent handles the text between tags, which in a style element is a stylesheet.
func (r *markupReader) readContent(from, to int) {
	var around *Element
	if len(r.open) > 0 {
		around = r.open[len(r.open)-1]
	}
	switch {
	case around != nil && around.Name == "style":
		dialect := "css"
		if lang := around.Attr("lang"); lang != nil {
			dialect = strings.ToLower(lang.Value)
		}
		if dialect == "css" || dialect == "scss" || dialect == "less" || dialect == "postcss" {
			r.sheets = append(r.sheets, stylesheet.ParseSheet(r.hidden[from:to], from, dialect))
		}
	case around != nil && around.Name == "script":
	case strings.TrimSpace(r.hidden[from:to]) != "":
		r.markReadable()
	}
}

// readAttribute reads the attribute from one offset to another; its last value bytes are the value.
func (r *markupReader) readAttribute(from, to, value int) {
	e := r.current
	from += len(r.hidden[from:to]) - len(strings.TrimLeft(r.hidden[from:to], " \t\r\n\f"))
	a := Attribute{At: from, Inside: to - value}
	name := strings.TrimRight(r.hidden[from:a.Inside], " \t\r\n\f=")
	if strings.IndexByte(name, source.Masked) >= 0 {
		visible := strings.FieldsFunc(name, func(c rune) bool { return c == source.Masked })
		whole := r.text[from : from+len(name)]
		short := strings.Trim(whole, "{}")
		switch {
		case len(visible) > 0:
			name = visible[0]
		case r.kind == "svelte" && isName(short):
			e.Attrs = append(e.Attrs, Attribute{Name: short, Value: short, Bound: true, At: from, Inside: from})
			return
		default:
			e.Spread = e.Spread || !isControl(whole)
			return
		}
	}
	a.Name, a.Bound = plainName(name)
	if a.Name == "bind" || a.Name == "v-bind" {
		e.Spread = true
	}
	if value > 0 && (r.hidden[a.Inside] == '"' || r.hidden[a.Inside] == '\'') {
		a.Inside++
		value--
		if value > 0 && r.hidden[to-1] == r.hidden[a.Inside-1] {
			value--
		}
	}
	a.Value, a.Hidden = r.text[a.Inside:a.Inside+value], r.hidden[a.Inside:a.Inside+value]
	e.Attrs = append(e.Attrs, a)
}

func isName(text string) bool {
	for i := range len(text) {
		if !source.IsNameByte(text[i]) {
			return false
		}
	}
	return text != ""
}

// isControl reports whether a template expression is a control statement, which itself writes no
// attributes.
func isControl(text string) bool {
	text = strings.TrimLeft(text, "{<%- \t")
	for _, word := range []string{"if", "else", "end", "with", "range", "/*", "unless", "for"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// maskTemplates masks template expressions, so that the brackets and quotes in them do not count.
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
			if end < 0 { // a later one has no end either
				pairs = append(pairs[:p:p], pairs[p+1:]...)
				break
			}
			source.Blank(out[i:end], source.Masked)
			i = end - 1
			break
		}
	}
	return string(out)
}

// templateEnd returns the offset after the end of a template expression, or -1. If the first end lies
// within a string, it uses the next end on the same line.
func templateEnd(text string, from int, end string) int {
	i := strings.Index(text[from:], end)
	if i < 0 {
		return -1
	}
	to := from + i + len(end)
	if strings.Count(text[from:to], `"`)%2 == 1 {
		line := source.UpToLineEnd(text[to:min(len(text), to+200)])
		if i := strings.Index(line, end); i >= 0 {
			to += i + len(end)
		}
	}
	return to
}

// maskBraces masks the expressions of Svelte, except those in scripts and styles.
func maskBraces(text string) string {
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '{':
			end, ok := source.AfterBraces(text, i)
			if !ok {
				return string(out)
			}
			source.Blank(out[i:end], source.Masked)
			i = end - 1
		case strings.HasPrefix(text[i:], "<!--"):
			i = source.After(text, i+4, "-->") - 1
		case strings.HasPrefix(text[i:], "<script"):
			i = source.After(text, i+7, "</script") - 1
		case strings.HasPrefix(text[i:], "<style"):
			i = source.After(text, i+6, "</style") - 1
		}
	}
	return string(out)
}
