package slackhtml

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
)

var office = Renderer{
	User:    func(id string) (string, bool) { return "ann", id == "U1" },
	Channel: func(id string) (string, bool) { return "bugs", id == "C1" },
	Group:   func(id string) (string, bool) { return "leads", id == "S1" },
	Link: func(address string) string {
		if strings.Contains(address, ".slack.com/archives/") {
			return "/ann/bugs"
		}
		return ""
	},
	Me: "U1",
}

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain &amp; <simple>": `plain &amp; simple`,
		"*bold* _it_ ~off~ 2*3*4 a_b_c": `<strong>bold</strong> <em>it</em> <s>off</s> 2*3*4 ` +
			`a_b_c`,
		"see `a &lt; b` and `*x*`": `see <code>a &lt; b</code> and <code>*x*</code>`,
		"<@U1> in <#C1> for <!subteam^S1>": `<span class="mention me">@ann</span> in <span ` +
			`class="mention">#bugs</span> for <span class="mention">@leads</span>`,
		"&gt; quoted\nnot": `<blockquote>quoted</blockquote>not`,
		"a\nb":             `a<br>b`,
		"a\n  • b":         "a<br>\u00a0\u00a0• b",
		"&gt; a\n&gt;   b": "<blockquote>a<br>\u00a0\u00a0b</blockquote>",
		"<https://a.example|`a.go:1`>": `<a href="https://a.example" target="_blank" ` +
			`rel="noreferrer noopener"><code>a.go:1</code></a>`,
		":eyes: :nothing_known:": `<img class="emoji" src="/-/assets/emoji/eyes.svg" alt="👀"> ` +
			`:nothing_known:`,
		"`👀` ⚠ ❤️": `<code>👀</code> <img class="emoji" src="/-/assets/emoji/warning.svg" alt="⚠️"> ` +
			`<img class="emoji" src="/-/assets/emoji/heart.svg" alt="❤️">`,
		"<https://a.example/?a=1&amp;b=2|there>": `<a href="https://a.example/?a=1&amp;b=2" ` +
			`target="_blank" rel="noreferrer noopener">there</a>`,
		"<https://acme.slack.com/archives/C1/p1|it>": `<a href="/ann/bugs">it</a>`,
		"<javascript:alert(1)|it>":                   `it`,
		"<!date^0^{date_short_pretty} {time}|then>": `<time datetime="1970-01-01T00:00:00Z">Jan 1, ` +
			`1970 00:00</time>`,
		"&lt;b&gt; <b> \"": `&lt;b&gt; b &#34;`,
	} {
		require.Equal(t, want, string(office.Text(text)), "%s", text)
	}
}

// TestEveryEmojiHasAPicture checks that there is a picture for each emoji, that it is harmless, and that the
// page names all that the bot reacts with.
func TestEveryEmojiHasAPicture(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, e := range emojis {
		raw, err := fs.ReadFile(EmojiFiles(), e.file+".svg")
		require.NoError(t, err)
		require.Contains(t, string(raw), `xmlns="http://www.w3.org/2000/svg"`)
		require.NotContains(t, string(raw), "<script")
		require.Less(t, len(raw), 2000, e.file)
		for _, name := range append([]string{e.file, e.character}, e.names...) {
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
	files, err := fs.ReadDir(EmojiFiles(), ".")
	require.NoError(t, err)
	require.Len(t, files, len(emojis))
	require.Contains(t, Emoji("eyes"), "eyes.svg")
	require.Equal(t, ":&lt;b&gt;:", string(Emoji("<b>")))
}

func TestCodeIsHighlighted(t *testing.T) {
	t.Parallel()
	diff := string(office.Text("Look:\n```\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-if a &lt; b {\n" +
		"+if a &lt;= b {\n```\nso"))
	require.Contains(t, diff, `<pre class="code diff" tabindex="0">`)
	require.Contains(t, diff, `<span class="gi">`)
	require.Contains(t, diff, `<span class="gd">`)
	require.Contains(t, diff, "if a &lt;= b {")
	require.True(t, strings.HasPrefix(diff, "Look:<pre"))
	require.True(t, strings.HasSuffix(diff, "</pre>so"))
	require.Contains(t, string(pagestyle.Code("a.py", "def f(): pass")), `<span class="k">def</span>`)
	require.NotContains(t, string(pagestyle.Code("a.py", "def f(): pass")), "style=")
}

// TestEveryBlockOfTheGallery shows that every block in the bot's gallery of golden files is of a known kind
// and renders as harmless HTML.
func TestEveryBlockOfTheGallery(t *testing.T) {
	t.Parallel()
	gallery := filepath.FromSlash("../../../../../../bot/internal/render/testdata/gallery")
	pictures, err := filepath.Glob(filepath.Join(gallery, "*", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, pictures)
	for _, name := range pictures {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var picture struct{ Blocks json.RawMessage }
		require.NoError(t, json.Unmarshal(raw, &picture))
		shown := string(office.Blocks(picture.Blocks, View{}))
		require.NotContains(t, shown, `class="unknown"`, name)
		require.NotEmpty(t, shown, name)
		wellFormed(t, shown)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	blocks := func(raw string) string {
		return string(office.Blocks(json.RawMessage("["+raw+"]"), View{
			Errors: map[string]string{"b": "too long"},
			Prefix: "p",
		}))
	}
	require.Contains(t, blocks(`{"type":"actions","elements":[{"type":"button","action_id":"fix",`+
		`"style":"primary","text":{"type":"plain_text","text":"Fix <it>"}}]}`),
		`<button class="primary" name="action" value="fix">Fix &lt;it&gt;</button>`)
	require.NotContains(t, blocks(`{"type":"actions","elements":[{"type":"button","action_id":"fix",`+
		`"visible_to_user_ids":["U9"],"text":{"type":"plain_text","text":"x"}}]}`), "<button")
	menu := blocks(`{"type":"actions","block_id":"b","elements":[{"type":"overflow","action_id":"more",` +
		`"options":[{"text":{"type":"plain_text","text":"Limits"},"value":"limits:1"},` +
		`{"text":{"type":"plain_text","text":"Docs"},"value":"x","url":"https://a.example/"}]}]}`)
	require.Contains(t, menu, `<button name="in-menu:more" value="limits:1">Limits</button>`)
	require.Contains(t, menu, `<a href="https://a.example/" target="_blank"`)
	asks := blocks(`{"type":"actions","block_id":"b","elements":[{"type":"button","action_id":"stop",` +
		`"text":{"type":"plain_text","text":"Stop"},"confirm":{"title":{"type":"plain_text",` +
		`"text":"Stop it?"},"text":{"type":"mrkdwn","text":"*Nothing* is lost."},"confirm":{"type":` +
		`"plain_text","text":"Stop"},"deny":{"type":"plain_text","text":"Go on"},"style":"danger"}}]}`)
	require.Contains(t, asks, `<button class="plain" type="button" popovertarget="pb-stop-ask">Stop</button>`)
	require.Contains(t, asks, `<p><strong>Nothing</strong> is lost.</p>`)
	require.Contains(t, asks,
		`<button class="danger" name="action" value="stop" autofocus>Stop</button>`)
	input := blocks(
		`{"type":"input","block_id":"b","optional":true,"label":{"type":"plain_text","text":"Why"},` +
			`"element":{"type":"plain_text_input","action_id":"why","multiline":true,"max_length":40}}`)
	require.Contains(t, input,
		`<textarea id="pb-why" name="in:why" rows="4" maxlength="40" aria-invalid="true"`)
	require.Contains(t, input, "too long")
	require.Contains(t,
		blocks(`{"type":"markdown","text":"# T\n\n<script>x</script>\n\n|a|b|\n|-|-|\n|1|2|"}`), "<table>")
	require.NotContains(t, blocks(`{"type":"markdown","text":"<script>x</script>"}`), "<script")
	require.Contains(t, blocks(`{"type":"rich_text","elements":[{"type":"rich_text_section",`+
		`"elements":[{"type":"text","text":"hi","style":{"bold":true}},{"type":"user","user_id":"U1"}]}]}`),
		`<strong>hi</strong><span class="mention me">@ann</span>`)
	require.Contains(t, blocks(`{"type":"hologram"}`), "kind “hologram”")
	require.Contains(t, string(office.Blocks(json.RawMessage(`{`), View{})), "cannot be read")
}

// FuzzShown checks that no text and no block yields an unexpected element, an attribute with code, or a
// javascript: address.
func FuzzShown(f *testing.F) {
	for _, seed := range []string{
		"*b* _i_ `c` <@U1> <https://x|y> ```\nx\n``` &gt; q", "<javascript:x|y>", `<a" onmouseover="x|y>`,
		"*_~`<", "<!date^1^{time}|x>",
		`[{"type":"section","text":{"type":"mrkdwn","text":"<x|\"><script>"}}]`,
		`[{"type":"markdown","text":"[x](javascript:y) <img src=x onerror=y>"}]`,
		`[{"type":"actions","elements":[{"type":"button","url":"javascript:x","text":{"text":"x"}}]}]`,
		`[{"type":"table","rows":[[{"type":"raw_text","text":"<b>"}]]}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wellFormed(t, string(office.Text(text)))
		wellFormed(t, string(office.Blocks(json.RawMessage(text), View{})))
		wellFormed(t, string(pagestyle.Code("", text)))
	})
}

func wellFormed(t *testing.T, shown string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(shown),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	require.NoError(t, err)
	for _, n := range nodes {
		for one := range n.Descendants() {
			harmless(t, one, shown)
		}
		harmless(t, n, shown)
	}
}

var harmlessTags = strings.Fields("a blockquote br button code dd del details div dl dt em h1 h2 h3 h4 h5 " +
	"h6 hr img input label li ol option p pre s select span strong summary table tbody td textarea th " +
	"thead time tr ul")

func harmless(t *testing.T, n *html.Node, shown string) {
	t.Helper()
	if n.Type != html.ElementNode {
		return
	}
	require.Contains(t, harmlessTags, n.Data, shown)
	for _, a := range n.Attr {
		require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style", shown)
		if slices.Contains([]string{"href", "src"}, a.Key) {
			require.NotContains(t, strings.ToLower(a.Val), "javascript:", shown)
		}
	}
}
