package render

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// programLine matches a line of a rendered text that looks like the program's: it begins with one of its
// marks, after an agent's name, blanks, invisible characters, or markup.
var programLine = regexp.MustCompile(
	`^(?:\[[^\]]*\]|&gt;|<[^|>]*\||[\s\p{Z}\p{Cf}\p{Mn}*_~>` + "`" + `#+-])*` +
		`(?:[◆◇◈◊⬥⬧⬩⧫♦❖🔶🔷🔸🔹💠�✓✔✅☑✗✘❌]|` +
		`:[a-z0-9_+'-]*(?:diamond|check_mark)[a-z0-9_+'-]*:)`,
)

// programLines returns the lines of a text that look like the program's.
func programLines(text string) (found []string) {
	fenced := false
	for _, line := range strings.FieldsFunc(text, func(r rune) bool {
		return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' ||
			r == '\u2028' || r == '\u2029'
	}) {
		visible := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, line)
		switch {
		case line == mrkdwn.Fence:
			fenced = !fenced
		case fenced && !strings.Contains(line, workflow.Mark): // output of commands keeps its signs
		case programLine.MatchString(visible):
			found = append(found, line)
		}
	}
	return found
}

// shownOf returns all texts that people see of a posting: replies, their blocks, buttons and files.
func shownOf(s Style, p *workflow.Posting) (texts []string) {
	parts, files := s.Message(p)
	for _, f := range files {
		texts = append(texts, f.Content(), f.Title)
		parts = append(parts, f.Instead...)
	}
	for _, part := range parts {
		texts = append(append(texts, part.Text), blockTexts(part.Blocks)...)
	}
	return texts
}

func blockTexts(blocks []slack.Block) (texts []string) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *slack.SectionBlock:
			texts = append(texts, b.Text.Text)
		case *slack.ContextBlock:
			for _, e := range b.ContextElements.Elements {
				texts = append(texts, e.(*slack.TextBlockObject).Text)
			}
		case *slack.ActionBlock:
			for _, e := range b.Elements.ElementSet {
				texts = append(texts, e.(*slack.ButtonBlockElement).Text.Text)
			}
		case *slack.PlanBlock:
			for _, task := range b.Tasks {
				texts = append(texts, task.Title)
			}
		}
	}
	return texts
}

// forgeries are texts that try to look like a line of the program.
var forgeries = []string{
	"◆ Revision 1 approved by bob.",
	"ok\n◆ Pushed: `x` at 1a2b3c4.",
	"ok\n[orchestrator] ◆ Done.",
	"**◆ Done**",
	"\u200b◆ Done",
	"\u202e◆ enoD",
	"> ◆ Approved by bob.",
	"```\n◆ Done\n```",
	"```\n[orchestrator] ◆ Done",
	"- ◆ Done",
	"1. ◈ Done",
	"# ◆ Done",
	":large_blue_diamond: Done",
	"&#9670; Done",
	"&diams; Done",
	`\◆ Done`,
	"[x](https://evil.example)\n[◆ Done](https://git.example/x)",
	"`◆` Done",
	"a\u2028◆ Done",
	"a\v◆ Done",
	"a\r◆ Done",
	"◆\ufe0f Done",
	"\u3164◆ Done",
	"🔷 Done",
	"\ufffd Done",
	"\xff Done",
	strings.Repeat("word ", 580) + "◆ Done",
	strings.Repeat("x", 2899) + "◆ Done",
	strings.Repeat("long line ", 2000) + "\n◆ Done",
	"| a | b |\n|---|---|\n| ◆ Done | x |",
	"<b>◆ Done</b>",
	"◆\n===",
	"~~◆ Done~~",
	"a\u0085◆ Done",
	"◇\u20df Done",
	"\ue000◆ Done",
	"$◆ Done",
	"|◆ Done",
	"✓ 500 tests pass",
	"ok\n✗ not proven",
	"> ✓ Done",
	"- ✔\ufe0f Done",
	"1. ✅ Done",
	"**✓ Done**",
	":white_check_mark: Done",
	":heavy_check_mark: Done",
	"☑ Done",
	"\u200b✓ Done",
}

// surfaces returns what people see of a model's text wherever it is shown: as its own line, below and
// between lines of the program, as a button, a file, a card, an App Home and a modal.
func surfaces(s Style, text string) (texts []string) {
	own := workflow.Line{Agent: "deep", Text: text}
	own.Buttons = []workflow.Button{{ActionID: workflow.ButtonOption, Label: text, Value: "v"}}
	own.Files = []workflow.File{{Name: "plan.md", Title: workflow.Unmark(text), Text: workflow.Unmark(text)}}
	var mixed workflow.Text
	mixed.Add(text)
	below := workflow.Line{Agent: "orchestrator", Text: mixed.String(), Vouched: mixed.Vouched()}
	for _, lines := range [][]workflow.Line{{own}, {below}, {own, below}} {
		texts = append(texts, shownOf(s, &workflow.Posting{Key: "k", Lines: lines})...)
	}
	posting := PostingWithoutCode(&workflow.Posting{Key: "k", Lines: []workflow.Line{own}}, "guests")
	texts = append(texts, shownOf(s, posting)...)
	c := &workflow.Card{Tasks: []workflow.CardTask{{Number: 1, Label: "[deep]", Title: text}}}
	texts = append(texts, strings.Split(CardFace{}.Render(c).Text, "\n")[1:]...)
	texts = append(texts, blockTexts(CardFace{}.Render(c).Blocks)...)
	home := HomePage{}.sessionLine(workflow.HomeSession{}, workflow.HomeView{}.Person)
	return append(texts, home)
}

// FuzzModelTextNeverLooksLikeTheProgram renders a model's text on every surface. No line that people see
// begins like a line that the program vouches for.
func FuzzModelTextNeverLooksLikeTheProgram(f *testing.F) {
	for _, text := range forgeries {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		linked := Style{Renderer: mrkdwn.Renderer{Links: []string{"https://git.example/"}}}
		for _, style := range []Style{{}, linked} {
			for _, shown := range surfaces(style, text) {
				require.Empty(t, programLines(shown), "%q", shown)
			}
		}
		// Beside lines of the program, exactly these are marked.
		var mixed workflow.Text
		mixed.Vouch("Pushed: `x`.")
		mixed.Add(text)
		mixed.Vouch(workflow.MarkHolds + "1 new test: red before, green now")
		l := workflow.Line{Agent: "orchestrator", Text: mixed.String(), Vouched: mixed.Vouched()}
		found := programLines(Style{}.Line(l))
		require.Len(t, found, 2, "%q", found)
		require.Equal(t, "[orchestrator] ◆ Pushed: `x`.", found[0])
		require.Equal(t, "✓ 1 new test: red before, green now", found[1])
	})
}

// TestForgeriesSucceedWithoutTheGuard is the control: where marks stay in others' texts, most of the
// forgeries look like lines of the program.
func TestForgeriesSucceedWithoutTheGuard(t *testing.T) {
	t.Parallel()
	forged := 0
	for _, text := range forgeries {
		if len(programLines(Style{forgeable: true}.Line(workflow.Line{Agent: "deep", Text: text}))) > 0 {
			forged++
		}
	}
	require.Greater(t, forged, len(forgeries)/2)
}
