package mrkdwn

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/bobbinhq/bobbin/workflow"
)

// Parse returns the document of a text of models, with the emphasis that Render sees.
func Parse(markdown []byte) ast.Node { return markdownParser.Parse(text.NewReader(markdown)) }

// MayLink reports whether Render makes an address a link that can be clicked.
func (r Renderer) MayLink(to string) bool { return r.mayLink(to) }

// FindAddress returns where the first address in a text is, without the punctuation after it; nil: it has
// none.
func FindAddress(s string) []int { return address.FindStringIndex(s) }

// FindPlace returns where the first place in code is in a text, such as path/to/file.go:12; nil: it has none.
// A word and a colon before the path may belong to it or not; at is where the path begins.
func FindPlace(s string) (found []int, at int) {
	m := codePlace.FindStringSubmatchIndex(s)
	if m == nil {
		return nil, 0
	}
	return m[:2], m[4]
}

// LineAddress returns the address of a place in code. The pattern has the placeholders {commit}, {path} and
// {line}.
func LineAddress(pattern string, c workflow.OtherCode, place string) string {
	return lineAddress(pattern, c, place)
}

// Unslash removes the backslashes of Markdown's escapes.
func Unslash(s string) string { return unslash.Replace(s) }
