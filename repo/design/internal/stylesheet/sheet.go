package stylesheet

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
)

// A Sheet is a stylesheet, or the content of one style attribute.
type Sheet struct {
	Rules                []*StyleRule
	HasReducedMotionRule bool // an at-rule refers to prefers-reduced-motion
}

// A StyleRule holds the declarations between one pair of braces, without those of nested rules.
type StyleRule struct {
	Selectors   []string // nested ones written out; none at the top level and in keyframes
	At          []string // the at-rules around it, in lower case
	Decls       []Decl
	TakesMixins bool // it takes declarations from elsewhere, as @include does
}

type Decl struct {
	Prop      string // lower case; with $ or @ for a variable
	At        int
	Value     []Word
	Important int // offset of !important, or -1
	Raw       string
}

// A Word is a CSS token and its offset in the file.
type Word struct {
	Kind css.TokenType
	Text string
	At   int
}

func (w Word) Is(kind css.TokenType, text string) bool { return w.Kind == kind && w.Text == text }

// DefinesName reports whether the declaration defines a variable or a custom property.
func (d Decl) DefinesName() bool {
	return strings.HasPrefix(d.Prop, "--") || strings.HasPrefix(d.Prop, "$") || strings.HasPrefix(d.Prop, "@")
}

func (r *StyleRule) InAtRule(words string) bool {
	for _, at := range r.At {
		if strings.Contains(at, words) {
			return true
		}
	}
	return false
}

// Lex splits CSS into words and leaves out comments. base is the offset of text in its file.
func Lex(text string, base int) []Word {
	lexer := css.NewLexer(parse.NewInputString(text))
	var out []Word
	for at := base; ; {
		kind, data := lexer.Next()
		if kind == css.ErrorToken {
			return out
		}
		start := at
		at += len(data)
		if kind != css.CommentToken {
			out = append(out, Word{kind, text[start-base : at-base], start})
		}
	}
}

// block is a block whose brace is still open.
type block struct {
	rule      *StyleRule
	keyframes bool
}

// sheetReader finds rules by their braces and declarations by their semicolons: the text before a brace
// is a selector, the text before a semicolon a declaration.
type sheetReader struct {
	sheet     *Sheet
	open      []block
	statement []Word
	room      int // bytes left for writing out nested selectors
	text      string
	base      int
}

// ParseSheet parses the text of a stylesheet that begins at the offset base of its file. It accepts
// malformed text.
func ParseSheet(text string, base int, dialect string) *Sheet {
	if dialect == "scss" || dialect == "less" {
		text = maskDialect(text)
	}
	top := &StyleRule{}
	r := &sheetReader{sheet: &Sheet{Rules: []*StyleRule{top}}, open: []block{{rule: top}}, text: text, base: base, room: 8 << 20}
	for _, w := range Lex(text, base) {
		switch w.Kind {
		case css.LeftBraceToken:
			r.beginBlock(TrimWords(r.statement))
			r.statement = r.statement[:0]
		case css.RightBraceToken:
			r.endStatement()
			if len(r.open) > 1 {
				r.open = r.open[:len(r.open)-1]
			}
		case css.SemicolonToken:
			r.endStatement()
		default:
			r.statement = append(r.statement, w)
		}
	}
	r.endStatement()
	return r.sheet
}

func TrimWords(ws []Word) []Word {
	for len(ws) > 0 && ws[0].Kind == css.WhitespaceToken {
		ws = ws[1:]
	}
	for len(ws) > 0 && ws[len(ws)-1].Kind == css.WhitespaceToken {
		ws = ws[:len(ws)-1]
	}
	return ws
}

// beginBlock opens a block. prelude is the text before its brace.
func (r *sheetReader) beginBlock(prelude []Word) {
	outer := r.open[len(r.open)-1]
	inner := block{rule: &StyleRule{Selectors: outer.rule.Selectors, At: outer.rule.At}, keyframes: outer.keyframes}
	switch {
	case len(prelude) > 0 && prelude[0].Kind == css.AtKeywordToken:
		head := strings.ToLower(r.textOfWords(prelude))
		r.sheet.HasReducedMotionRule = r.sheet.HasReducedMotionRule || strings.Contains(head, "reduced-motion")
		inner.keyframes = inner.keyframes || strings.Contains(prelude[0].Text, "keyframes")
		if len(inner.rule.At) < 8 && len(head) < 4096 {
			inner.rule.At = append(inner.rule.At[:len(inner.rule.At):len(inner.rule.At)], head)
		}
	case inner.keyframes:
		inner.rule.Selectors = nil
	default:
		inner.rule.Selectors = splitSelectors(prelude)
		if whole, size := nestSelectors(outer.rule.Selectors, inner.rule.Selectors); size <= r.room {
			r.room -= size
			inner.rule.Selectors = whole
		}
	}
	r.sheet.Rules = append(r.sheet.Rules, inner.rule)
	r.open = append(r.open, inner)
}

// textOfWords returns the source text from the first to the last word.
func (r *sheetReader) textOfWords(ws []Word) string {
	if len(ws) == 0 {
		return ""
	}
	last := ws[len(ws)-1]
	return r.text[ws[0].At-r.base : last.At+len(last.Text)-r.base]
}

// splitSelectors splits a prelude at its outer commas and reduces white space to single blanks.
func splitSelectors(prelude []Word) []string {
	var out []string
	var one strings.Builder
	depth := 0
	for _, w := range prelude {
		switch w.Kind {
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
		one.WriteString(w.Text)
	}
	out = append(out, one.String())
	for i := range out {
		out[i] = strings.Join(strings.FieldsFunc(out[i], func(c rune) bool { return c <= ' ' }), " ")
	}
	return out
}

// nestSelectors writes out selectors that are nested in others. If the result grows too large, the
// inner selectors stay as written.
func nestSelectors(outer, inner []string) (whole []string, size int) {
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

// endStatement adds the statement that ended to the rule around it.
func (r *sheetReader) endStatement() {
	ws := TrimWords(r.statement)
	r.statement = r.statement[:0]
	rule := r.open[len(r.open)-1].rule
	if len(ws) == 0 {
		return
	}
	d, value := Decl{At: ws[0].At, Important: -1}, ws
	switch {
	case ws[0].Kind == css.IdentToken, ws[0].Kind == css.CustomPropertyNameToken, ws[0].Kind == css.AtKeywordToken:
		d.Prop, value = ws[0].Text, TrimWords(ws[1:])
	case len(ws) > 1 && ws[0].Is(css.DelimToken, "$") && ws[1].Kind == css.IdentToken:
		d.Prop, value = "$"+ws[1].Text, TrimWords(ws[2:])
	default:
		rule.TakesMixins = true // such as .mixin() in Less
		return
	}
	if len(value) == 0 || value[0].Kind != css.ColonToken {
		rule.TakesMixins = rule.TakesMixins || ws[0].Kind == css.AtKeywordToken
		return
	}
	if ws[0].Kind == css.IdentToken {
		d.Prop = strings.ToLower(d.Prop)
	}
	d.Value, d.Important = cutFlags(TrimWords(value[1:]))
	d.Value = append([]Word(nil), d.Value...) // the memory of the statement is reused
	d.Raw = r.textOfWords(d.Value)
	rule.Decls = append(rule.Decls, d)
}

// cutFlags removes !important, !default and !global from the end of a value, and returns the offset of
// !important, or -1.
func cutFlags(value []Word) (rest []Word, important int) {
	important = -1
	for i, w := range value {
		if !w.Is(css.DelimToken, "!") {
			continue
		}
		for _, flag := range value[i:] {
			if flag.Kind == css.IdentToken && strings.EqualFold(flag.Text, "important") {
				important = w.At
			}
		}
		return TrimWords(value[:i]), important
	}
	return value, important
}

// maskDialect hides the syntax that only SCSS and Less have: // comments, #{ } and @{ }.
func maskDialect(text string) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"' || c == '\'':
			i = source.AfterString(text, i) - 1
		case strings.HasPrefix(text[i:], "/*"):
			i = source.After(text, i+2, "*/") - 1
		case len(text) >= i+4 && strings.EqualFold(text[i:i+4], "url("):
			i = source.After(text, i+4, ")") - 1
		case strings.HasPrefix(text[i:], "//"):
			end := i + len(source.UpToLineEnd(text[i:]))
			source.Blank(out[i:end], ' ')
			i = end
		case (c == '#' || c == '@') && strings.HasPrefix(text[i+1:], "{"):
			end := source.After(text, i+2, "}")
			source.Blank(out[i:end], source.Masked)
			i = end - 1
		}
	}
	return string(out)
}

// End returns the offset of the last word of the value.
func (d Decl) End() int {
	if len(d.Value) == 0 {
		return d.At
	}
	return d.Value[len(d.Value)-1].At
}
