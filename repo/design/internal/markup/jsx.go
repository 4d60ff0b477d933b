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

func (s *jsxScanner) topFrame() *frame { return &s.frames[len(s.frames)-1] }

func (s *jsxScanner) pushFrame(f frame) { s.frames = append(s.frames, f) }

func (s *jsxScanner) popFrame() { s.frames = s.frames[:len(s.frames)-1] }

func (s *jsxScanner) hasPrefix(prefix string) bool { return strings.HasPrefix(s.text[s.i:], prefix) }

// byteAt returns the byte n places ahead, or 0 after the end.
func (s *jsxScanner) byteAt(n int) byte {
	if s.i+n < len(s.text) {
		return s.text[s.i+n]
	}
	return 0
}

func (s *jsxScanner) scanCode() {
	switch c := s.text[s.i]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.i++
	case s.hasPrefix("//"):
		s.i += len(source.UpToLineEnd(s.text[s.i:]))
	case s.hasPrefix("/*"):
		s.i = source.After(s.text, s.i+2, "*/")
	case c == '"' || c == '\'':
		s.i = source.AfterString(s.text, s.i)
		s.operand = false
	case c == '`':
		s.i++
		s.pushFrame(frame{where: inTemplate})
	case c == '/' && s.operand:
		s.i = afterRegexp(s.text, s.i)
		s.operand = false
	case c == '<' && s.operand && s.beginsTag():
		s.beginTag()
	case source.IsNameByte(c) && c != '-':
		s.scanWord()
	case c == '{':
		s.i++
		s.topFrame().depth++
		s.operand = true
	case c == '}':
		s.i++
		s.closeBrace()
	default:
		s.i++
		s.operand = c != ')' && c != ']'
	}
}

// scanWord skips a name or a number, and records whether a value may follow it.
func (s *jsxScanner) scanWord() {
	start := s.i
	for s.i < len(s.text) && source.IsNameByte(s.text[s.i]) && s.text[s.i] != '-' {
		s.i++
	}
	switch s.text[start:s.i] {
	case "return", "case", "typeof", "in", "of", "default", "else", "do", "void", "delete", "await", "yield", "new", "throw":
		s.operand = true
	default:
		s.operand = false
	}
}

func (s *jsxScanner) closeBrace() {
	f := s.topFrame()
	s.operand = false
	if f.depth > 0 {
		f.depth--
		return
	}
	if len(s.frames) == 1 {
		return
	}
	inner := s.text[f.start : s.i-1]
	spread, isValue := f.spread, f.attr
	s.popFrame()
	switch over := s.topFrame(); {
	case over.where == inTag && spread:
		over.tag.Spread = true
	case over.where == inTag && isValue:
		a := &over.tag.Attrs[len(over.tag.Attrs)-1]
		a.Value, a.Inside, a.Bound = inner, f.start, true
		if text, ok := literalString(inner); ok {
			a.Value, a.Hidden, a.Bound = text, text, false
			a.Inside += strings.Index(inner, text)
		}
	case over.where == inContent && !isComment(inner):
		s.markReadable()
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

func (s *jsxScanner) scanTemplate() {
	switch c := s.text[s.i]; {
	case c == '\\':
		s.i += 2
	case c == '`':
		s.i++
		s.popFrame()
		s.operand = false
	case s.hasPrefix("${"):
		s.i += 2
		s.pushFrame(frame{where: inCode, start: s.i})
		s.operand = true
	default:
		s.i++
	}
}

// beginsTag reports whether < begins a tag, and not a comparison or the type parameters of an arrow
// function, <T,> and <T extends U>.
func (s *jsxScanner) beginsTag() bool {
	c := s.byteAt(1)
	if c == '>' {
		return true
	}
	if c|0x20 < 'a' || c|0x20 > 'z' {
		return c == '_' || c == '$'
	}
	end := s.i + 1
	for end < len(s.text) && isTagByte(s.text[end]) {
		end++
	}
	rest := strings.TrimLeft(s.text[end:min(len(s.text), end+64)], " \t\r\n")
	return !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "extends ")
}

func isTagByte(c byte) bool { return source.IsNameByte(c) || c == '.' || c == ':' }

// beginTag begins the element of the tag at the <.
func (s *jsxScanner) beginTag() {
	start := s.i
	s.i++
	name := s.i
	for s.i < len(s.text) && isTagByte(s.text[s.i]) {
		s.i++
	}
	e := &Element{Name: s.text[name:s.i], At: start, End: s.i, Jsx: true, Wrapped: s.labels > 0}
	if e.Name != "" {
		s.elements = append(s.elements, e)
	}
	s.pushFrame(frame{where: inTag, tag: e})
}

func (s *jsxScanner) scanTag() {
	e := s.topFrame().tag
	switch c := s.text[s.i]; {
	case s.hasPrefix("//"):
		s.i += len(source.UpToLineEnd(s.text[s.i:]))
	case s.hasPrefix("/*"):
		s.i = source.After(s.text, s.i+2, "*/")
	case s.hasPrefix("/>"):
		s.i += 2
		e.End = s.i
		s.popFrame()
		s.nameParent(e)
		s.operand = false
	case c == '>':
		s.i++
		e.End = s.i
		s.topFrame().where = inContent
		s.openElement(e)
	case c == '{':
		s.i++
		s.pushFrame(frame{where: inCode, start: s.i, spread: true})
		s.operand = true
	case source.IsNameByte(c) || c == '@':
		s.scanAttribute(e)
	default:
		s.i++
	}
}

// scanAttribute reads an attribute's name and, unless it is an expression, its value.
func (s *jsxScanner) scanAttribute(e *Element) {
	start := s.i
	for s.i < len(s.text) && (isTagByte(s.text[s.i]) || s.text[s.i] == '@') {
		s.i++
	}
	a := Attribute{At: start, Inside: s.i}
	a.Name, _ = plainName(s.text[start:s.i])
	s.skipSpace()
	if s.i == len(s.text) || s.text[s.i] != '=' {
		e.Attrs = append(e.Attrs, a)
		return
	}
	s.i++
	s.skipSpace()
	switch c := s.byteAt(0); c {
	case '"', '\'':
		a.Inside = s.i + 1
		s.i = source.After(s.text, a.Inside, string(c))
		a.Value = strings.TrimSuffix(s.text[a.Inside:s.i], string(c))
		a.Hidden = a.Value
	case '{':
		s.i++
		s.pushFrame(frame{where: inCode, start: s.i, attr: true})
		s.operand = true
	}
	e.Attrs = append(e.Attrs, a)
}

func (s *jsxScanner) skipSpace() {
	s.i = len(s.text) - len(strings.TrimLeft(s.text[s.i:], " \t\r\n"))
}

func (s *jsxScanner) scanContent() {
	switch c := s.text[s.i]; {
	case c == '{':
		s.i++
		s.pushFrame(frame{where: inCode, start: s.i})
		s.operand = true
	case s.hasPrefix("</"):
		s.i += 2
		name := s.i
		s.i = source.After(s.text, s.i, ">")
		e := s.topFrame().tag
		e.Closed = strings.TrimSpace(strings.TrimSuffix(s.text[name:s.i], ">")) == e.Name
		s.popFrame()
		s.closeInnermost()
		s.operand = false
	case c == '<' && (s.byteAt(1) == '>' || source.IsNameByte(s.byteAt(1))):
		s.beginTag()
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.i++
	default:
		s.i++
		s.markReadable()
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
