package pagestyle

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

// maxCode is the size in bytes up to which code is highlighted; larger code is shown plain.
const maxCode = 200_000

var formatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))

// Code returns text as an HTML pre element, highlighted as a file of that name. If name is empty, the
// language is guessed from the text. Colours are classes of the style sheet.
func Code(name, text string) template.HTML {
	var b strings.Builder
	lexer := lexerFor(name, text)
	kind := "code"
	if lexer != nil && lexer.Config().Name == "Diff" {
		kind = "code diff"
	}
	b.WriteString(`<pre class="` + kind + `" tabindex="0">`)
	if !highlight(&b, lexer, text) {
		b.WriteString(html.EscapeString(text))
	}
	b.WriteString("</pre>")
	return template.HTML(b.String()) //nolint:gosec // chroma and EscapeString have escaped it
}

func highlight(b *strings.Builder, lexer chroma.Lexer, text string) bool {
	if lexer == nil || len(text) > maxCode {
		return false
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return false
	}
	var shown strings.Builder
	if formatter.Format(&shown, styles.Fallback, tokens) != nil {
		return false
	}
	b.WriteString(shown.String())
	return true
}

var (
	looksLikeDiff = regexp.MustCompile(`(?m)^(diff --git |@@ -\d|--- \S)`)
	looksLikeGo   = regexp.MustCompile(
		`(?m)^\s*(func |package |import |type \w+ |return |if .* \{$|for .* \{$|\w+ := )`)
	looksLikeJSON = regexp.MustCompile(`^\s*[{\[]\s*"`)
	looksLikeSQL  = regexp.MustCompile(`(?i)^\s*(select|insert into|update|create table) `)
	looksLikePy   = regexp.MustCompile(`(?m)^\s*(def \w+\(.*\):|class \w+.*:|from \w+ import |import \w+$)`)
	looksLikeSh   = regexp.MustCompile(`^\s*(\$ |(go|git|npm|make|cargo|curl|docker|cd|bobbin) )`)
)

func lexerFor(name, text string) chroma.Lexer {
	switch {
	case name != "":
		return lexers.Match(name)
	case looksLikeDiff.MatchString(text):
		return lexers.Get("diff")
	case looksLikeJSON.MatchString(text):
		return lexers.Get("json")
	case looksLikePy.MatchString(text):
		return lexers.Get("python")
	case looksLikeGo.MatchString(text):
		return lexers.Get("go")
	case looksLikeSQL.MatchString(text):
		return lexers.Get("sql")
	case looksLikeSh.MatchString(text):
		return lexers.Get("bash")
	}
	return nil
}
