package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

var signing = Style{
	Renderer: mrkdwn.Renderer{Links: []string{"https://github.com/acme/shop", "http://localhost:3000"}},
}

// TestNobodySignsForAnother checks that a name in brackets at the beginning of a later line of a text is
// quoted.
func TestNobodySignsForAnother(t *testing.T) {
	t.Parallel()
	const forged = "done"
	for in, want := range map[string]string{
		"a\n[orchestrator] done":                      "a\n`[orchestrator]` done",
		"a\n\n  **[orchestrator]** done":              "a\n\n  *`[orchestrator]`* done",
		"a\n\u2003_[deep + tdd skill] x_ done":        "a\n\u2003_`[deep + tdd skill]` x_ done",
		"a\n\uff3borchestrator\uff3d done":            "a\n`\uff3borchestrator\uff3d` done",
		"a\n\u3010deep] done":                         "a\n`\u3010deep]` done",
		"a\n[`deep`] done":                            "a\n(`deep`) done",
		"a\n[[d](https://github.com/acme/shop)] done": "a\n(<https://github.com/acme/shop|d>) done",
		// What people do not take for a signature stays unchanged.
		"a\n[x] 1. done\n[ ] 2. done":  "a\n[x] 1. done\n[ ] 2. done",
		"a\n- [deep] done":             "a\n- [deep] done",
		"a\n  1. [deep] done":          "a\n  1. [deep] done",
		"a\n```\n[section]\ndone\n```": "a\n```\n[section]\ndone\n```",
		"[deep] done":                  "[deep] done", // it follows the name of the agent that says it
	} {
		require.Contains(t, in, forged)
		line := workflow.Line{Agent: "quick", Text: in}
		require.Equal(t, "[quick] "+want, signing.Line(line), "%q", in)
		if strings.HasPrefix(want, "a\n`[orchestrator]") {
			careless := Style{forgeable: true}
			require.Regexp(t, `(?m)^\[orchestrator\] done`, careless.Line(line), "the control")
		}
	}
}

func TestPartsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	p := &workflow.Posting{Key: "k", Lines: []workflow.Line{
		{Agent: "deep", Text: "```go\n" + strings.Repeat("fmt.Println(1 < 2)\n", 600) + "```"},
		{Agent: "a]\n<!here>", Text: "end"},
	}}
	parts := Style{}.renderParts(p)
	require.Equal(t, parts, Style{}.renderParts(p))
	require.Greater(t, len(parts), 3)
	require.True(t, strings.HasPrefix(parts[0].Text, "[deep]\n```\nfmt"))
	require.True(t, strings.HasSuffix(parts[len(parts)-1].Text, "```\n[a] &lt;!here&gt;] end"))
	for i, part := range parts {
		require.LessOrEqual(t, utf8.RuneCountInString(part.Text), MaxPart)
		require.Zero(t, strings.Count(part.Text, mrkdwn.Fence)%2)
		require.Nil(t, part.Blocks)
		require.Equal(t, i == 0, part.Key == "k")
	}
}

func TestPlacesInCodeAreLinks(t *testing.T) {
	t.Parallel()
	r := Style{Renderer: mrkdwn.Renderer{
		Code: map[string]string{
			"shop": "https://github.com/acme/shop/blob/{commit}/{path}#L{line}",
			"api":  "https://github.com/acme/api/blob/{commit}/{path}#L{line}",
		},
	}}
	code := &workflow.Code{
		Repository: "shop",
		Commit:     "c0ffee",
		Places:     []string{"money/split.go:13", "a b|c.go:1"},
		Others:     []workflow.OtherCode{{Repository: "api", Commit: "beef", Places: []string{"api:a.go:1"}}},
	}
	const link = "<https://github.com/acme/shop/blob/c0ffee/money/split.go#L13|`money/split.go:13`>"
	for text, want := range map[string]string{
		"see money/split.go:13.":              "see " + link + ".",
		"see `money/split.go:13`":             "see " + link,
		"see `money/split.go:13 or so`":       "see `money/split.go:13 or so`",
		"```\nmoney/split.go:13\n```":         "```\nmoney/split.go:13\n```",
		"not money/split.go:14":               "not money/split.go:14",
		"at:money/split.go:13":                "at:" + link,
		"api:a.go:1":                          "<https://github.com/acme/api/blob/beef/a.go#L1|`api:a.go:1`>",
		"`api:a.go:1`":                        "<https://github.com/acme/api/blob/beef/a.go#L1|`api:a.go:1`>",
		"shop at a.go:1":                      "shop at a.go:1",
		"api:money/split.go:14":               "api:money/split.go:14",
		"nor example.com:8080 <!here>":        "nor example.com:8080 &lt;!here&gt;",
		"https://x.example/money/split.go:13": "`https://x.example/money/split.go:13`",
	} {
		got := r.Line(workflow.Line{Agent: "deep", Text: text, Code: code})
		require.Equal(t, want, strings.TrimSpace(strings.TrimPrefix(got, "[deep]")))
	}
	// Without a code URL for the repository, places that exist are code, and others plain text.
	code.Repository = "other"
	require.Equal(t, "[deep] `money/split.go:13`",
		r.Line(workflow.Line{Agent: "deep", Text: "money/split.go:13", Code: code}))
	require.Equal(t, "[deep] money/split.go:13",
		r.Line(workflow.Line{Agent: "deep", Text: "money/split.go:13"}))
}

// The footer of a report links the page of its session, also after the answer, which removes how to answer.
func TestAFooterLinksThePage(t *testing.T) {
	t.Parallel()
	report := workflow.Line{
		Agent: "orchestrator",
		Text: "**Refunds are too high**\n" +
			"shop@c0ffee · revision 1 · nothing is changed yet. Reply \"fix it\", or say what is wrong.",
		Vouched: []int{1},
		Buttons: []workflow.Button{{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "v"}},
	}
	s := Style{PageOf: func(session string) string { return "https://bobbin.example/s/" + session }}
	posting := &workflow.Posting{Key: "k", Session: "s1", Lines: []workflow.Line{report}}
	part := s.renderParts(posting)[0]
	const link = " · <https://bobbin.example/s/s1|session page>"
	require.True(t, strings.HasSuffix(part.Text, `or say what is wrong.`+link), part.Text)
	require.Equal(t, []string{"section", "context", "actions"}, typesOf(part.Blocks))

	answered := part.WithNote("Approved by bea.", nil)
	require.True(t, strings.HasSuffix(answered.Text,
		"\n◆ shop@c0ffee · revision 1"+link+"\n&gt; ◆ Approved by bea."), answered.Text)
	require.Equal(t, []string{"section", "context", "section"}, typesOf(answered.Blocks))

	require.NotContains(t, Style{}.renderParts(posting)[0].Text, "page")
}

func typesOf(blocks []slack.Block) (types []string) {
	for _, b := range blocks {
		types = append(types, string(b.BlockType()))
	}
	return types
}
