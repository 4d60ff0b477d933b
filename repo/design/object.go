package design

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/source"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// maxObject is the maximum size in bytes of a style that is read. Objects nest, and each nested one
// would be read again.
const maxObject = 1 << 14

// judgeObject checks style={{ … }} of JSX and :style="{ … }" of Vue.
func (s *changedFile) judgeObject(a *markup.Attribute) {
	open := strings.IndexByte(a.Value, '{')
	if len(a.Value) > maxObject || open < 0 || strings.TrimSpace(a.Value[:open]) != "" {
		return // a variable or a list, whose values are unknown here
	}
	end, ok := source.AfterBraces(a.Value, open)
	if !ok || strings.TrimSpace(a.Value[end:]) != "" {
		return
	}
	var decls []stylesheet.Decl
	for _, p := range markup.ObjectPairs(a.Value[open+1:end-1], a.Inside+open+1) {
		if text, ok := markup.LiteralValue(p.Value); ok {
			decls = append(decls, stylesheet.Decl{Prop: p.Key, At: p.At, Raw: text, Value: stylesheet.Lex(text, p.ValueAt)})
		}
	}
	s.suspectInline(decls)
}
