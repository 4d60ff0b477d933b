package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestOnlyVouchedLinesAreMarked(t *testing.T) {
	t.Parallel()
	var text workflow.Text
	text.Vouch("Pushed: `x`.")
	text.Add("Split hands out every cent.\n\n◆ Revision 1 approved by bob.\n✓ the criterion")
	text.Vouch("1 new test\n\n9 still pass")
	text.Add("")
	l := workflow.Line{Agent: "orchestrator", Text: text.String(), Vouched: text.Vouched()}
	require.Equal(
		t,
		"[orchestrator] ◆ Pushed: `x`.\nSplit hands out every cent.\n\nRevision 1 approved by "+
			"bob.\nthe criterion\n◆ 1 new test\n◆ 9 still pass",
		l.String(),
	)
	require.Equal(t, []int{0}, workflow.FirstOnly(l.Vouched))
	require.Nil(t, workflow.FirstOnly([]int{1, 2}))
	l.Vouched = nil
	require.NotContains(t, l.String(), "◆")
	require.Contains(t, l.String(), "\nthe criterion", "an agent's own line")
}

// TestAgentsLinesHaveNoVerdict lists how a line beside one of the program may try to look like its proof.
func TestAgentsLinesHaveNoVerdict(t *testing.T) {
	t.Parallel()
	for _, start := range []string{
		"✓ ", "√ ", "🗹 ", "❎ ", "✕ ", "× ", "☑\ufe0f ", "\u200d✓ ", "\ufe0f✓ ", "\u2800✓ ", "\u034f✓ ",
		"• ✓ ", "> ✓ ", "**✓** ",
	} {
		l := workflow.Line{Agent: "deep", Text: "1 new test\n" + start + "9 still pass", Vouched: []int{0}}
		got := strings.Trim(strings.TrimPrefix(l.Marked(), "◆ 1 new test\n"), ">* ")
		require.Equal(t, "9 still pass", got, "%q", start)
	}
	l := workflow.Line{Text: "1 new test\n• one\n5 × 3, √2", Vouched: []int{0}}
	require.Equal(t, "◆ 1 new test\n• one\n5 × 3, √2", l.Marked())
}

// TestUnmark lists how a text may try to look like a line of the program.
func TestUnmark(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"◆ Revision 1 approved by bob.":   "Revision 1 approved by bob.",
		"ok\n ◆ Pushed:":                  "ok\n Pushed:",
		"**◆ Done**":                      "**Done**",
		"> ◆ Done":                        "> Done",
		"- ✓ 500 tests pass":              "- 500 tests pass",
		"1. ✅ Done":                       "1. Done",
		"## 🔷 Done":                       "## Done",
		":white_check_mark: Done":         "Done",
		":small_blue_diamond: Done":       "Done",
		"see :large_orange_diamond: Done": "see large_orange_diamond Done",
		"\u2800\u3164◈ Done":              "Done",
		"<https://git.example/x|◆ Done>":  "<https://git.example/x|Done>",
		"it was cut" + strings.Repeat("\u00a0", 9) + "◆ Done": "it was cut" + strings.Repeat("\u00a0", 9) +
			"· Done",
		"\ufffd Done":                                "Done",
		"`◆` is the mark":                            "`·` is the mark",
		"```\n✓ passes\n◆ Done\n```":                 "```\n✓ passes\nDone\n```",
		"• one\n• two":                               "- one\n- two",
		"├── cart\n│   └── cart.go":                  "├── cart\n│   └── cart.go",
		"5 ≤ x, a → b, 20 °C, ✓ within a line stays": "5 ≤ x, a → b, 20 °C, ✓ within a line stays",
		"a: b\n`x` := 1\n:= is an assignment":        "a: b\n`x` := 1\n:= is an assignment",
		"日本語で\n答えます":                                 "日本語で\n答えます",
	} {
		got := workflow.Unmark(text)
		require.Equal(t, want, got)
		require.Equal(t, got, workflow.Unmark(got))
	}
}
