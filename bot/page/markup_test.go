package page

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// known is a markup that knows one place in each of two repositories, and links to one host.
var known = markup{
	Renderer: mrkdwn.Renderer{
		Links: []string{"https://git.example.com/acme/"},
		Code: map[string]string{
			"shop": "https://git.example.com/acme/shop/blob/{commit}/{path}#L{line}",
			"api":  "https://git.example.com/acme/api/blob/{commit}/{path}#L{line}",
		},
	},
	known: []workflow.Code{{
		Repository: "shop", Commit: "c0ffee", Places: []string{"money/split_all.go:13"},
		Others: []workflow.OtherCode{{Repository: "api", Commit: "beef", Places: []string{"api:a.go:2"}}},
	}},
}

// TestMarkup checks that each line of a text stays a line, that lists and code are such, and that a place
// that exists is a link to the commit that was read, whether the text marks it as code or not.
func TestMarkup(t *testing.T) {
	t.Parallel()
	const split = `<a class="place" ` +
		`href="https://git.example.com/acme/shop/blob/c0ffee/money/split_all.go#L13" rel="noopener">` +
		`<code>money/split_all.go:13</code></a>`
	for text, want := range map[string]string{
		"Bug: one\nRoot cause: two": "<p>Bug: one</p><p>Root cause: two</p>",
		"Scope:\n- a\n- b\nFix:\n1. c\n2. d\nRisk: LOW": "<p>Scope:</p><ul>" +
			"<li><span>a</span></li><li><span>b</span></li></ul><p>Fix:</p>" +
			"<ol><li><span>c</span></li><li><span>d</span></li></ol><p>Risk: LOW</p>",
		"• a\n• b": "<ul><li><span>a</span></li><li><span>b</span></li></ul>",
		"see money/split_all.go:13, and `money/split_all.go:13`": "<p>see " + split + ", and " + split +
			"</p>",
		"api:a.go:2 is known, gone.go:7 is not": `<p><a class="place" ` +
			`href="https://git.example.com/acme/api/blob/beef/a.go#L2" rel="noopener">` +
			`<code>api:a.go:2</code></a> is known, <code>gone.go:7</code> is not</p>`,
		"*it* is **so**, __init__ is not": "<p><em>it</em> is <strong>so</strong>, __init__ is not</p>",
		"https://git.example.com/acme/x/3.": `<p><a href="https://git.example.com/acme/x/3" ` +
			`rel="noopener">https://git.example.com/acme/x/3</a>.</p>`,
		"[here](https://evil.example/x)": "<p>here (<code>https://evil.example/x</code>)</p>",
		"[x](javascript:alert(1))":       "<p>x (<code>javascript:alert(1)</code>)</p>",
		"<b>bold</b> & <script>":         "<p>&lt;b&gt;bold&lt;/b&gt; &amp; &lt;script&gt;</p>",
		"<script>alert(1)</script>":      `<p class="words">&lt;script&gt;alert(1)&lt;/script&gt;</p>`,
		"> said\n> so":                   "<blockquote><p>said<br>so</p></blockquote>",
	} {
		require.Equal(t, want, string(known.html(text, nil)), text)
	}
	fenced := string(known.html("run\n```\na\nb <c>\n```\nthen", nil))
	require.Regexp(t, `(?s)^<p>run</p><pre class="code"[^>]*>a\nb &lt;c&gt;</pre><p>then</p>$`, fenced)
}

// TestMarkupOfNewLines checks that only what the previous revision does not say is marked.
func TestMarkupOfNewLines(t *testing.T) {
	t.Parallel()
	before := linesIn("Bug: one\n- a\n- b")
	isNew := func(line string) bool { return !before[line] }
	require.Equal(t,
		`<p class="new">Bug: two</p><ul><li><span>a</span></li><li><span class="new">c</span></li></ul>`,
		string(known.html("Bug: two\n- a\n- c", isNew)))
}

var allowedTags = regexp.MustCompile(
	`</?(?:p|ul|ol|li|span|em|strong|s|code|pre|br|hr|blockquote|a)(?: [a-z]+="[^"<>]*")*>`)

// FuzzMarkup checks that no text makes a tag of its own, or a link to another address than the known ones.
func FuzzMarkup(f *testing.F) {
	f.Add("# a\n<b>`x`</b> [y](https://git.example.com/acme/x) ![z](u)" +
		"\n```\nq\n```\n- 1\n  - 2\n> 3\n*")
	f.Add("[a](https://git.example.com/acme/\"onclick=x)")
	f.Add("\\* <https://x> money/split_all.go:13")
	f.Fuzz(func(t *testing.T, text string) {
		shown := string(known.html(text, nil))
		if left := allowedTags.ReplaceAllString(shown, ""); strings.ContainsAny(left, "<>") {
			t.Fatalf("%q has tags: %q", text, left)
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(shown, -1) {
			if to := html.UnescapeString(m[1]); !known.MayLink(to) {
				t.Fatalf("%q links to %q", text, to)
			}
		}
	})
}
