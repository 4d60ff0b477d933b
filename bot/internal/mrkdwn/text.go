package mrkdwn

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Visible drops characters that could hide or reverse other text, such as control characters, bidi marks and
// tag characters. Tabs, and the joiner and variation selectors of emoji stay. Line ends of any kind become
// line feeds.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200d':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r >= 0xe0000 && r <= 0xe0fff:
			return -1
		}
		return r
	}, plaintext.UnifyLineEnds(strings.ToValidUTF8(s, "\uFFFD")))
}

// Escape disables Slack's markup in text: mentions, links, entities.
func Escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Unescape decodes the three escapes of Slack's texts. It decodes each position once: "&amp;lt;" becomes the
// text "&lt;".
func Unescape(s string) string { return unescaper.Replace(s) }

var unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// OneLine turns untrusted text into one visible line of at most that many characters.
func OneLine(s string, most int) string {
	return plaintext.CutLine(plaintext.OneLine(Visible(s)), most)
}

// signature matches the beginning of a line that looks like "[agent] text": blanks and invisible marks, then
// a name in brackets of any kind. The check boxes of a task list, [ ] and [x], do not match.
var signature = regexp.MustCompile("^([\\s\\p{Z}*_~\u115f\u1160\u2800\u3164\uffa0]*)" +
	"([" + openingBrackets + "])([^" + closingBrackets + "]{2,})([" + closingBrackets + "])")

// The brackets of any kind, as a class of a regular expression lists them.
const (
	openingBrackets = "\\[\uff3b\u2045\u2768\u2772\u27e6\u2983\u3010\u3014\u3016\u301a"
	closingBrackets = "\\]\uff3d\u2046\u2769\u2773\u27e7\u2984\u3011\u3015\u3017\u301b"
)

// QuoteSignatures quotes what looks like a signature at the beginning of each line of a rendered text but the
// first. It skips code blocks, where such a line already looks like code.
func QuoteSignatures(rendered string) string {
	lines := strings.Split(rendered, "\n")
	code := isFence(lines[0])
	for i, line := range lines[1:] {
		if isFence(line) {
			code = !code
		} else if !code {
			lines[i+1] = quoteSignature(line)
		}
	}
	return strings.Join(lines, "\n")
}

func quoteSignature(line string) string {
	m := signature.FindStringSubmatch(line)
	switch {
	case m == nil:
		return line
	case strings.ContainsAny(m[3], "`<"): // holds code or a link, neither of which works within code
		return m[1] + "(" + m[3] + ")" + line[len(m[0]):]
	}
	return m[1] + "`" + m[2] + m[3] + m[4] + "`" + line[len(m[0]):]
}
