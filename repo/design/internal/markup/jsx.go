package markup

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
)

// These are the states of the scanner.
const (
	inCode     = iota // also between the braces of an expression
	inTemplate        // between backquotes
	inTag             // among attributes
	inContent         // between an opening and a closing tag
)

// frame is one open construct. The scanner keeps its own stack of frames, because a file may nest to
// any depth.
type frame struct {
	where  int
	depth  int      // number of open braces, in code
	tag    *Element // in a tag or in content
	start  int      // for code: offset after its brace
	spread bool     // for code: it is in the place of an attribute's name
	attr   bool     // for code: it is the value of the last attribute
}

// jsxScanner reads a script once from front to back, only as closely as is needed to tell tags from
// comparisons, strings, comments and regular expressions.
type jsxScanner struct {
	nesting
	text     string
	i        int
	frames   []frame
	operand  bool // a value may begin here, so < begins a tag and / a regular expression
	elements []*Element
}

func ScanJSX(text string) []*Element {
	s := &jsxScanner{nesting: nesting{count: map[string]int{}}, text: text, operand: true}
	s.frames = []frame{{where: inCode}}
	for s.i < len(text) {
		switch s.topFrame().where {
		case inCode:
			s.scanCode()
		case inTemplate:
			s.scanTemplate()
		case inTag:
			s.scanTag()
		case inContent:
			s.scanContent()
		}
	}
	return s.elements
}

func (j *jsxScanner) topFrame() *frame { return &j.frames[len(j.frames)-1] }

func (j *jsxScanner) pushFrame(f frame) { j.frames = append(j.frames, f) }

func (j *jsxScanner) popFrame() { j.frames = j.frames[:len(j.frames)-1] }

func (j *jsxScanner) hasPrefix(prefix string) bool { return strings.HasPrefix(j.text[j.i:], prefix) }

// byteAt returns the byte n places ahead, or 0 after the end.
func (j *jsxScanner) byteAt(n int) byte {
	if j.i+n < len(j.text) {
		return j.text[j.i+n]
	}
	return 0
}

func (j *jsxScanner) scanCode() {
	switch c := j.text[j.i]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		j.i++
	case j.hasPrefix("//"):
		j.i += len(source.UpToLineEnd(j.text[j.i:]))
	case j.hasPrefix("/*"):
		j.i = source.After(j.text, j.i+2, "*/")
	case c == '"' || c == '\'':
		j.i = source.AfterString(j.text, j.i)
		j.operand = false
	case c == '`':
		j.i++
		j.pushFrame(frame{where: inTemplate})
	case c == '/' && j.operand:
		j.i = afterRegexp(j.text, j.i)
		j.operand = false
	case c == '<' && j.operand && j.beginsTag():
		j.beginTag()
	case source.IsNameByte(c) && c != '-':
		j.scanWord()
	case c == '{':
		j.i++
		j.topFrame().depth++
		j.operand = true
	case c == '}':
		j.i++
		j.closeBrace()
	default:
		j.i++
		j.operand = c != ')' && c != ']'
	}
}

// scanWord skips a name or a number, and records whether a value may follow it.
func (j *jsxScanner) scanWord() {
	start := j.i
	for j.i < len(j.text) && source.IsNameByte(j.text[j.i]) && j.text[j.i] != '-' {
		j.i++
	}
	switch j.text[start:j.i] {
	case "return", "case", "typeof", "in", "of", "default", "else", "do", "void", "delete", "await",
		"yield", "new", "throw":
		j.operand = true
	default:
		j.operand = false
	}
}

func (j *jsxScanner) closeBrace() {
	f := j.topFrame()
	j.operand = false
	if f.depth > 0 {
		f.depth--
		return
	}
	if len(j.frames) == 1 {
		return
	}
	inner := j.text[f.start : j.i-1]
	spread := f.spread
	isValue := f.attr
	j.popFrame()
	switch over := j.topFrame(); {
	case over.where == inTag && spread:
		over.tag.Spread = true
	case over.where == inTag && isValue:
		a := &over.tag.Attrs[len(over.tag.Attrs)-1]
		a.Value = inner
		a.Inside = f.start
		a.Bound = true
		if text, ok := literalString(inner); ok {
			a.Value = text
			a.Hidden = text
			a.Bound = false
			a.Inside += strings.Index(inner, text)
		}
	case over.where == inContent && !isComment(inner):
		j.markReadable()
	}
}

// literalString returns the text of an expression that is only a string.
func literalString(expr string) (string, bool) {
	expr = strings.TrimSpace(expr)
	if len(expr) < 2 || expr[0] != expr[len(expr)-1] || strings.IndexByte("\"'`", expr[0]) < 0 {
		return "", false
	}
	text := expr[1 : len(expr)-1]
	return text, strings.IndexByte(text, expr[0]) < 0 && !strings.Contains(text, "${")
}

// isComment reports whether an expression is empty or only one comment.
func isComment(expr string) bool {
	expr = strings.TrimSpace(expr)
	return expr == "" || strings.HasPrefix(expr, "/*") && strings.Index(expr, "*/") == len(expr)-2
}

func (j *jsxScanner) scanTemplate() {
	switch c := j.text[j.i]; {
	case c == '\\':
		j.i += 2
	case c == '`':
		j.i++
		j.popFrame()
		j.operand = false
	case j.hasPrefix("${"):
		j.i += 2
		j.pushFrame(frame{where: inCode, start: j.i})
		j.operand = true
	default:
		j.i++
	}
}

// beginsTag reports whether < begins a tag, and not a comparison or the type parameters of an arrow
// function, <T,> and <T extends U>.
func (j *jsxScanner) beginsTag() bool {
	c := j.byteAt(1)
	if c == '>' {
		return true
	}
	if c|0x20 < 'a' || c|0x20 > 'z' {
		return c == '_' || c == '$'
	}
	end := j.i + 1
	for end < len(j.text) && isTagByte(j.text[end]) {
		end++
	}
	rest := strings.TrimLeft(j.text[end:min(len(j.text), end+64)], " \t\r\n")
	return !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "extends ")
}

func isTagByte(c byte) bool { return source.IsNameByte(c) || c == '.' || c == ':' }

// beginTag begins the element of the tag at the <.
func (j *jsxScanner) beginTag() {
	start := j.i
	j.i++
	name := j.i
	for j.i < len(j.text) && isTagByte(j.text[j.i]) {
		j.i++
	}
	e := &Element{Name: j.text[name:j.i], At: start, End: j.i, Jsx: true, Wrapped: j.labels > 0}
	if e.Name != "" {
		j.elements = append(j.elements, e)
	}
	j.pushFrame(frame{where: inTag, tag: e})
}

func (j *jsxScanner) scanTag() {
	e := j.topFrame().tag
	switch c := j.text[j.i]; {
	case j.hasPrefix("//"):
		j.i += len(source.UpToLineEnd(j.text[j.i:]))
	case j.hasPrefix("/*"):
		j.i = source.After(j.text, j.i+2, "*/")
	case j.hasPrefix("/>"):
		j.i += 2
		e.End = j.i
		j.popFrame()
		j.nameParent(e)
		j.operand = false
	case c == '>':
		j.i++
		e.End = j.i
		j.topFrame().where = inContent
		j.openElement(e)
	case c == '{':
		j.i++
		j.pushFrame(frame{where: inCode, start: j.i, spread: true})
		j.operand = true
	case source.IsNameByte(c) || c == '@':
		j.scanAttribute(e)
	default:
		j.i++
	}
}

// scanAttribute reads an attribute's name and, unless it is an expression, its value.
func (j *jsxScanner) scanAttribute(e *Element) {
	start := j.i
	for j.i < len(j.text) && (isTagByte(j.text[j.i]) || j.text[j.i] == '@') {
		j.i++
	}
	a := Attribute{At: start, Inside: j.i}
	a.Name, _ = plainName(j.text[start:j.i])
	j.skipSpace()
	if j.i == len(j.text) || j.text[j.i] != '=' {
		e.Attrs = append(e.Attrs, a)
		return
	}
	j.i++
	j.skipSpace()
	switch c := j.byteAt(0); c {
	case '"', '\'':
		a.Inside = j.i + 1
		j.i = source.After(j.text, a.Inside, string(c))
		a.Value = strings.TrimSuffix(j.text[a.Inside:j.i], string(c))
		a.Hidden = a.Value
	case '{':
		j.i++
		j.pushFrame(frame{where: inCode, start: j.i, attr: true})
		j.operand = true
	}
	e.Attrs = append(e.Attrs, a)
}

func (j *jsxScanner) skipSpace() {
	j.i = len(j.text) - len(strings.TrimLeft(j.text[j.i:], " \t\r\n"))
}

func (j *jsxScanner) scanContent() {
	switch c := j.text[j.i]; {
	case c == '{':
		j.i++
		j.pushFrame(frame{where: inCode, start: j.i})
		j.operand = true
	case j.hasPrefix("</"):
		j.i += 2
		name := j.i
		j.i = source.After(j.text, j.i, ">")
		e := j.topFrame().tag
		e.Closed = strings.TrimSpace(strings.TrimSuffix(j.text[name:j.i], ">")) == e.Name
		j.popFrame()
		j.closeInnermost()
		j.operand = false
	case c == '<' && (j.byteAt(1) == '>' || source.IsNameByte(j.byteAt(1))):
		j.beginTag()
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		j.i++
	default:
		j.i++
		j.markReadable()
	}
}

// afterRegexp returns the offset after a regular expression, which ends on its line.
func afterRegexp(text string, i int) int {
	class := false
	for j := i + 1; j < min(len(text), i+1000); j++ {
		switch text[j] {
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return j + 1
			}
		case '\n':
			return i + 1 // it was a division
		}
	}
	return i + 1
}
