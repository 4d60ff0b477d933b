package check

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// masked stands, byte for byte, where a template or an interpolation stood: the value is
// not known here.
const masked = '\x01'

// A sheet is a stylesheet, or what one style attribute holds.
type sheet struct {
	rules []*styleRule
	calm  bool // asks for prefers-reduced-motion
}

// A styleRule holds the declarations between two braces, without those of nested rules.
type styleRule struct {
	selectors []string // nested ones written out; none at the top and in keyframes
	at        []string // the at-rules around it, lower case
	decls     []decl
	mixes     bool // takes declarations from elsewhere, as @include does
}

type decl struct {
	prop      string // lower case; with $ or @ for a variable
	at        int
	value     []word
	important int // where !important stands, else -1
	raw       string
}

// A word is a token of CSS and where it stands in the file.
type word struct {
	kind css.TokenType
	text string
	at   int
}

func (w word) is(kind css.TokenType, text string) bool { return w.kind == kind && w.text == text }

// defines says whether it gives a value a name.
func (d decl) defines() bool {
	return strings.HasPrefix(d.prop, "--") || strings.HasPrefix(d.prop, "$") || strings.HasPrefix(d.prop, "@")
}

func (r *styleRule) within(words string) bool {
	for _, at := range r.at {
		if strings.Contains(at, words) {
			return true
		}
	}
	return false
}

// lex takes CSS apart; comments are left out.
func lex(text string, base int) []word {
	lexer := css.NewLexer(parse.NewInputString(text))
	var out []word
	for at := base; ; {
		kind, data := lexer.Next()
		if kind == css.ErrorToken {
			return out
		}
		start := at
		at += len(data)
		if kind != css.CommentToken {
			out = append(out, word{kind, text[start-base : at-base], start})
		}
	}
}

// block is an open brace.
type block struct {
	rule      *styleRule
	keyframes bool
}

// sheetReader finds rules by their braces, and statements by what ends them: before a
// brace stands a selector, before a semicolon a declaration.
type sheetReader struct {
	sheet     *sheet
	open      []block
	statement []word
	room      int // bytes left for writing nested selectors out
	text      string
	base      int
}

// parseSheet reads the text of a stylesheet that begins at an offset of its file. Nothing
// is too broken for it.
func parseSheet(text string, base int, dialect string) *sheet {
	if dialect == "scss" || dialect == "less" {
		text = maskDialect(text)
	}
	top := &styleRule{}
	r := &sheetReader{sheet: &sheet{rules: []*styleRule{top}}, open: []block{{rule: top}}, text: text, base: base, room: 8 << 20}
	for _, w := range lex(text, base) {
		switch w.kind {
		case css.LeftBraceToken:
			r.begin(trimWords(r.statement))
			r.statement = r.statement[:0]
		case css.RightBraceToken:
			r.end()
			if len(r.open) > 1 {
				r.open = r.open[:len(r.open)-1]
			}
		case css.SemicolonToken:
			r.end()
		default:
			r.statement = append(r.statement, w)
		}
	}
	r.end()
	return r.sheet
}

func trimWords(ws []word) []word {
	for len(ws) > 0 && ws[0].kind == css.WhitespaceToken {
		ws = ws[1:]
	}
	for len(ws) > 0 && ws[len(ws)-1].kind == css.WhitespaceToken {
		ws = ws[:len(ws)-1]
	}
	return ws
}

// begin opens a block with what stands before its brace.
func (r *sheetReader) begin(prelude []word) {
	outer := r.open[len(r.open)-1]
	inner := block{rule: &styleRule{selectors: outer.rule.selectors, at: outer.rule.at}, keyframes: outer.keyframes}
	switch {
	case len(prelude) > 0 && prelude[0].kind == css.AtKeywordToken:
		head := strings.ToLower(r.source(prelude))
		r.sheet.calm = r.sheet.calm || strings.Contains(head, "reduced-motion")
		inner.keyframes = inner.keyframes || strings.Contains(prelude[0].text, "keyframes")
		if len(inner.rule.at) < 8 && len(head) < 4096 {
			inner.rule.at = append(inner.rule.at[:len(inner.rule.at):len(inner.rule.at)], head)
		}
	case inner.keyframes:
		inner.rule.selectors = nil
	default:
		inner.rule.selectors = selectors(prelude)
		if whole, size := nest(outer.rule.selectors, inner.rule.selectors); size <= r.room {
			r.room -= size
			inner.rule.selectors = whole
		}
	}
	r.sheet.rules = append(r.sheet.rules, inner.rule)
	r.open = append(r.open, inner)
}

// source is the text that words stand in.
func (r *sheetReader) source(ws []word) string {
	if len(ws) == 0 {
		return ""
	}
	last := ws[len(ws)-1]
	return r.text[ws[0].at-r.base : last.at+len(last.text)-r.base]
}

// selectors are the parts between commas, with single blanks.
func selectors(prelude []word) []string {
	var out []string
	var one strings.Builder
	depth := 0
	for _, w := range prelude {
		switch w.kind {
		case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken:
			depth--
		case css.CommaToken:
			if depth <= 0 {
				out = append(out, one.String())
				one.Reset()
				continue
			}
		}
		one.WriteString(w.text)
	}
	out = append(out, one.String())
	for i := range out {
		out[i] = strings.Join(strings.FieldsFunc(out[i], func(c rune) bool { return c <= ' ' }), " ")
	}
	return out
}

// nest writes selectors out that stand inside others. A product that grows too large keeps
// the inner ones as they stand.
func nest(outer, inner []string) (whole []string, size int) {
	if len(outer) == 0 || len(outer)*len(inner) > 64 {
		return inner, 0
	}
	for _, o := range outer {
		for _, i := range inner {
			one := o + " " + i
			if strings.Contains(i, "&") {
				one = i
				if len(i)*len(o) < 1<<14 {
					one = strings.ReplaceAll(i, "&", o)
				}
			}
			if len(one) > 1<<10 {
				one = i
			}
			size += len(one)
			whole = append(whole, one)
		}
	}
	return whole, size
}

// end takes a statement that ended into the rule around it.
func (r *sheetReader) end() {
	ws := trimWords(r.statement)
	r.statement = r.statement[:0]
	rule := r.open[len(r.open)-1].rule
	if len(ws) == 0 {
		return
	}
	d, value := decl{at: ws[0].at, important: -1}, ws
	switch {
	case ws[0].kind == css.IdentToken, ws[0].kind == css.CustomPropertyNameToken, ws[0].kind == css.AtKeywordToken:
		d.prop, value = ws[0].text, trimWords(ws[1:])
	case len(ws) > 1 && ws[0].is(css.DelimToken, "$") && ws[1].kind == css.IdentToken:
		d.prop, value = "$"+ws[1].text, trimWords(ws[2:])
	default:
		rule.mixes = true // as .mixin() of Less
		return
	}
	if len(value) == 0 || value[0].kind != css.ColonToken {
		rule.mixes = rule.mixes || ws[0].kind == css.AtKeywordToken
		return
	}
	if ws[0].kind == css.IdentToken {
		d.prop = strings.ToLower(d.prop)
	}
	d.value, d.important = cutFlags(trimWords(value[1:]))
	d.value = append([]word(nil), d.value...) // the statement's room is used again
	d.raw = r.source(d.value)
	rule.decls = append(rule.decls, d)
}

// cutFlags takes !important, !default and !global from the end of a value.
func cutFlags(value []word) (rest []word, important int) {
	important = -1
	for i, w := range value {
		if !w.is(css.DelimToken, "!") {
			continue
		}
		for _, flag := range value[i:] {
			if flag.kind == css.IdentToken && strings.EqualFold(flag.text, "important") {
				important = w.at
			}
		}
		return trimWords(value[:i]), important
	}
	return value, important
}

// maskDialect hides what only SCSS and Less have: // comments, #{ } and @{ }.
func maskDialect(text string) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"' || c == '\'':
			i = afterString(text, i) - 1
		case strings.HasPrefix(text[i:], "/*"):
			i = after(text, i+2, "*/") - 1
		case len(text) >= i+4 && strings.EqualFold(text[i:i+4], "url("):
			i = after(text, i+4, ")") - 1
		case strings.HasPrefix(text[i:], "//"):
			end := i + len(upToLineEnd(text[i:]))
			blank(out[i:end], ' ')
			i = end
		case (c == '#' || c == '@') && strings.HasPrefix(text[i+1:], "{"):
			end := after(text, i+2, "}")
			blank(out[i:end], masked)
			i = end - 1
		}
	}
	return string(out)
}

func upToLineEnd(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// after is the offset behind the next occurrence of a text, or the end.
func after(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// afterString is the offset behind a string that begins at i and may not pass a line's end.
func afterString(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j + 1
		case '\n':
			return j
		}
	}
	return len(text)
}

func blank(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}
