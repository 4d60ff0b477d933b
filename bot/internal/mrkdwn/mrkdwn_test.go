package mrkdwn

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var linking = Renderer{Links: []string{"https://github.com/acme/shop", "http://localhost:3000"}}

func TestMrkdwn(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                 "",
		"\n\nplain\n\n":                    "plain",
		"**bold** and __so bold__":         "*bold* and *so bold*",
		"*it* and _it_":                    "_it_ and _it_",
		"~~gone~~":                         "~gone~",
		"***both***":                       "_*both*_",
		"snake_case_name, 2 * 3":           "snake_case_name, 2 * 3",
		`\*not\* \_so\_ C:\dir`:            `*not* _so_ C:\dir`,
		"`a < b && **c**`":                 "`a &lt; b &amp;&amp; **c**`",
		"``a ` b``":                        "`a ' b`",
		"a lone ` tick":                    "a lone ' tick",
		"# Head\ntext\n## So ##":           "*Head*\ntext\n*So*",
		"Head\n====\ntext":                 "*Head*\ntext",
		"a\n\n---\n\nb":                    "a\n\n---\n\nb",
		"one  \ntwo\\\nthree":              "one\ntwo\nthree",
		"foo\n**bar\nbaz** qux":            "foo\n*bar\nbaz* qux",
		"* a\n* b\n  + c":                  "- a\n- b\n  - c",
		"1. a\n2. b\n\n\n3) c":             "1. a\n2. b\n\n\n3) c",
		"- [ ] open\n- [x] done":           "- [ ] open\n- [x] done",
		"> said\n> more":                   "&gt; said\n&gt; more",
		"a\tb":                             "a\tb",
		"```go\nif a < b {\n```":           "```\nif a &lt; b {\n```",
		"x\n~~~\n```\n~~~\ny":              "x\n```\n`\u200b`\u200b`\n```\ny",
		"```\nnever closed":                "```\nnever closed\n```",
		"    indented":                     "```\nindented\n```",
		"1. a\n   ```\n   x\n   ```\n2. b": "1. a\n```\nx\n```\n2. b",
		"| a | b |\n|---|--:|\n| 1 | 2 |":  "```\na   | b\n--- | ---\n1   | 2\n```",
		"Tasks:\n  1. [quick] add\n  2. [deep + tdd skill] refuse": "Tasks:\n  1. [quick] add\n" +
			"  2. [deep + tdd skill] refuse",
	} {
		require.Equal(t, want, linking.Render(in, nil), "%q", in)
	}
}

// TestCodeKeepsItsCharacters checks that code without backticks keeps its characters, and that only clearly
// meant emphasis is rendered.
func TestCodeKeepsItsCharacters(t *testing.T) {
	t.Parallel()
	for _, as := range []string{
		"LexerState.__init__ (a line)", "__init__ and __post_init__ are called", "if __name__ == '__main__'",
		"_GNU_SOURCE and _POSIX_C_SOURCE_", "as in [*[a]*](b), typed so", "[*a*](b)",
		"the delimiter '*' that precedes it turns the closing '*' into text; the opening '*' stays",
		`a lone "_" and a lone "_"`, "(*) and (_) and [*]", "f(*args) and g(*args)",
		"f(*args, **kw), g(*a, **kw)", "a*b*c, a**b**c, a_b_c", "/*foo*/ and /*bar*/", "*.go and pkg/*",
		"2 ** 3 ** 4", `_("a") and _("b")`, "~/bin, ~5 s and ~6 s", "char* p, int* q", "x~y~z",
		"arr[i](x) calls it",
	} {
		require.Equal(t, Escape(as), linking.Render("x "+as, nil)[2:], "%q", as)
	}
	for in, want := range map[string]string{
		"a (*so*) b, **so:** c":    "a (_so_) b, *so:* c",
		"**`code`** and *\"so\"*.": "*`code`* and _\"so\"_.",
		"**_both_**, *so*!":        "*_both_*, _so_!",
		"`bull ` and ` a`":         "`bull ` and ` a`",
		"**a\nb** c":               "*a\nb* c",
	} {
		require.Equal(t, want, linking.Render(in, nil), "%q", in)
	}
}

// TestADiagnosisReportKeepsItsShape checks that a diagnosis report is rendered unchanged, since its format is
// fixed word for word.
func TestADiagnosisReportKeepsItsShape(t *testing.T) {
	t.Parallel()
	report := `=== Diagnosis Report ===
Bug: totals are a cent off
Root cause: the remainder is dropped, cart.go:42
Affected scope:
- orders with a discount
- about 3 in 100
Proposed fix:
1. add a test
2. round once, at the end
Risk: LOW - one function
=== Diagnosis Report ===`
	require.Equal(t, report, linking.Render(report, nil))
}

func TestNothingOfAModelWorksInSlack(t *testing.T) {
	t.Parallel()
	const (
		file  = "https://github.com/acme/shop/blob/a1/c.go#L3"
		query = "https://github.com/acme/shop?a=1&b=2"
	)
	for in, want := range map[string]string{
		"<!channel> <!here|here> <!everyone>": "&lt;!channel&gt; &lt;!here|here&gt; " +
			"&lt;!everyone&gt;",
		"<@U1> <@U1|ada> <#C1|bugs> <!subteam^S1>": "&lt;@U1&gt; &lt;@U1|ada&gt; &lt;#C1|bugs&gt; " +
			"&lt;!subteam^S1&gt;",
		"&lt;!channel&gt;": "&amp;lt;!channel&amp;gt;",
		"<b>hi</b>\n\n<div>\n<@U1>\n</div>": "&lt;b&gt;hi&lt;/b&gt;\n\n&lt;div&gt;\n" +
			"&lt;@U1&gt;\n&lt;/div&gt;",
		"**<!channel>** `<@U1>`":            "*&lt;!channel&gt;* `&lt;@U1&gt;`",
		"# <!channel>":                      "*&lt;!channel&gt;*",
		"- <!channel>":                      "- &lt;!channel&gt;",
		"```\n<!channel>\n```":              "```\n&lt;!channel&gt;\n```",
		"[here](https://evil.example/?q=s)": "here (`https://evil.example/?q=s`)",
		"![x](https://evil.example/x.png)":  "x (`https://evil.example/x.png`)",
		"[x][1]\n\n[1]: https://evil.example": "x (`https://evil.example`)\n\n" +
			"[1]: `https://evil.example`",
		"<https://evil.example>":                "`https://evil.example`",
		"<https://evil.example|github.com>":     "`https://evil.example|github.com`",
		"see https://evil.example/a.":           "see `https://evil.example/a`.",
		"HTTPS://EVIL.EXAMPLE www.evil.example": "`HTTPS://EVIL.EXAMPLE` `www.evil.example`",
		"[https://github.com/acme](https://evil.example)": "https: //github.com/acme " +
			"(`https://evil.example`)",
		"[x](javascript:alert(1))":          "x (`javascript:alert(1)`)",
		"slack://open?team=T1 mailto:a@b.c": "`slack://open?team=T1` `mailto:a@b.c`",
		"` https://evil.example `` x":       "' `https://evil.example` '' x",
		"a\u202eb\u200bc\x00d\x1b[31m":      "abcd[31m",
		"tags \U000e0041\U000e0042":         "tags",
		// Addresses that only look like an allowed one.
		"https://github.com.evil.example/acme/shop": "`https://github.com.evil.example/acme/shop`",
		"https://github.com@evil.example/acme/shop": "`https://github.com@evil.example/acme/shop`",
		"https://user:pw@github.com/acme/shop":      "`https://user:pw@github.com/acme/shop`",
		"https://github.com/acme/shop/../../evil":   "`https://github.com/acme/shop/../../evil`",
		"https://github.com/acme/shop%2f..%2f..":    "`https://github.com/acme/shop%2f..%2f`..",
		"https://github.com/acme/shopping":          "`https://github.com/acme/shopping`",
		"http://github.com/acme/shop":               "`http://github.com/acme/shop`",
		"https://gith\u0443b.com/acme/shop":         "`https://gith\u0443b.com/acme/shop`",
		// Allowed addresses.
		file:                           "<" + file + ">",
		"[c.go:3](" + file + ")":       "<" + file + "|c.go:3>",
		"[a|b <x>](" + query + ")":     "<https://github.com/acme/shop?a=1&amp;b=2|a/b &lt;x&gt;>",
		"http://localhost:3000/x, yes": "<http://localhost:3000/x>, yes",
	} {
		require.Equal(t, want, linking.Render(in, nil), "%q", in)
	}
}

// TestACutSignsForNobody checks that no part of a long line begins with what looks like a signature.
func TestACutSignsForNobody(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		line := strings.Repeat("x ", n) + strings.Repeat(" ", n%3) + "[orchestrator] done " +
			strings.Repeat("y", 90)
		parts := SplitText(line, 100)
		require.Equal(t, strings.ReplaceAll(line, " ", ""),
			strings.ReplaceAll(strings.Join(parts, ""), " ", ""))
		for _, part := range parts[1:] {
			require.NotRegexp(t, signature, part, "%d", n)
		}
	}
	// In a run of brackets, every cut is before what looks like a signature.
	for _, run := range []string{
		"é" + strings.Repeat("[", 3000) + "ab]", "x" + strings.Repeat("[", 3000) + "ab]",
		"é" + strings.Repeat(" ", 3000) + "[ab]",
	} {
		parts := SplitText(run, 100)
		require.Less(t, len(parts), 60)
		require.Equal(t, strings.ReplaceAll(run, " ", ""),
			strings.NewReplacer("`", "", " ", "").Replace(strings.Join(parts, "")))
		for _, part := range parts[1:] {
			require.NotRegexp(t, signature, part)
		}
	}
}

// command matches what Slack could act upon in a text: anything in angle brackets. Only links to allowed
// addresses may match.
var command = regexp.MustCompile(`<[^>]*>`)

func FuzzMrkdwn(f *testing.F) {
	for _, s := range []string{
		"**a** <!channel> `x`", "# h\n\n- a\n  * b\n", "```go\nx\n```", "[a](https://github.com/acme/shop)",
		"<https://github.com/acme/shop|<!here>>",
		"a\n=\n> b\n1. c\n\n    d", "|a|\n|-|-|\n", "[x]: <https://github.com/acme/shop> '<!here>'\n[x]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := linking.Render(in, nil)
		require.True(t, utf8.ValidString(out))
		for _, c := range command.FindAllString(out, -1) {
			require.True(t, strings.HasPrefix(c, "<https://github.com/acme/shop") ||
				strings.HasPrefix(c, "<http://localhost:3000"), "%q gave %q", in, c)
		}
		require.Equal(t, strings.Count(out, "<"), strings.Count(out, ">"))
		for _, part := range SplitText(out, 100) {
			require.LessOrEqual(t, utf8.RuneCountInString(part), 100, "%q", out)
			require.Zero(t, fences(part)%2, "%q", part)
		}
	})
}

func fences(s string) (n int) {
	for line := range strings.SplitSeq(s, "\n") {
		if isFence(line) {
			n++
		}
	}
	return n
}

func TestSplit(t *testing.T) {
	t.Parallel()
	words := strings.TrimSpace(strings.Repeat("word ", 9)) // 44 characters
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"short":              {"short", []string{"short"}},
		"empty":              {"", []string{""}},
		"between paragraphs": {words + "\n\n" + words + "\n" + words, []string{words, words + "\n" + words}},
		"between lines":      {words + "\n" + words + "\n" + words, []string{words + "\n" + words, words}},
		"code goes on": {
			"```\n" + words + "\n" + words + "\n```\nend",
			[]string{"```\n" + words + "\n```", "```\n" + words + "\n```\nend"},
		},
	} {
		require.Equal(t, c.want, SplitText(c.text, 100), name)
	}
	long := strings.Repeat("wörd ", 100)
	parts := SplitText(long, 100)
	require.Equal(t, strings.Fields(long), strings.Fields(strings.Join(parts, " ")))

	for _, unit := range []string{"&amp;", "<https://github.com/acme/shop|x>", "日本語"} {
		for _, part := range SplitText(strings.Repeat(unit, 60), 100) {
			require.Zero(t, strings.Count(part, "&")-strings.Count(part, ";"), part)
			require.Equal(t, strings.Count(part, "<"), strings.Count(part, ">"), part)
			require.True(t, utf8.ValidString(part))
		}
		require.Equal(t, strings.Repeat(unit, 60), strings.Join(SplitText(strings.Repeat(unit, 60), 100), ""))
	}
}

func TestTablesAndNestedListsCanBeRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, "```\nfile           | tests | why\n-------------- | ----- | -------------\n"+
		"money/split.go | 3     | `a | b`\nx              | 12    | a | b &lt;!here&gt;\n```",
		strings.ReplaceAll(Renderer{}.Render("| file | tests | why |\n|:--|--:|---|\n"+
			"| money/split.go | 3 | `a | b` |\n| x | 12 | a \\| b <!here> |", nil), "\u200b", ""))
	require.Equal(t, "1. one\n   - two *b*\n     - three\n2. four",
		Renderer{}.Render("1. one\n   - two **b**\n     * three\n2. four", nil))
}
