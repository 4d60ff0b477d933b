package bot

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// long is a posting of more than three replies, with a button.
func (o *office) long(root string) workflow.Posting {
	p := o.posting("s:9", root, "# What I found\n\n"+strings.Repeat("A paragraph of some words.\n\n```\ncode <!channel>\n```\n\n", 300))
	p.Lines[0].Buttons = []workflow.Button{{ActionID: "fix_it", Label: "Fix it", Value: "id"}}
	return p
}

// A thread is not flooded: what would be more than three replies is one, with a file.
func TestLongTextIsAFile(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{})
	root := o.say("it fails", "")
	p := o.long(root)
	require.NoError(t, o.poster((&outbox{}).put(p)).Drain(t.Context(), "s"))
	thread := o.Thread("bugs", root)[1:]
	require.Len(t, thread, 2)
	require.LessOrEqual(t, len(thread[0].Text), maxPart)
	require.Contains(t, thread[0].Text, "in the file `deep.md` below)")
	require.Equal(t, 0, strings.Count(thread[0].Text, fence)%2, "fences are closed")
	require.Len(t, thread[0].Controls(), 1)
	require.Equal(t, "What I found A paragraph of some words.", thread[1].Files[0].Title[:39])
	whole, err := o.FileContent(thread[1].Files[0].ID)
	require.NoError(t, err)
	require.Equal(t, p.Text(), whole)

	// The buttons go when they were answered, and the words stay.
	again := p
	again.Key, again.Rewrites, again.OnTS, again.Note = "s:9:settled", "s:9", thread[0].TS, "Approved by ada."
	again.Lines = []workflow.Line{{Agent: "deep", Text: p.Lines[0].Text}}
	require.NoError(t, o.poster((&outbox{}).put(again)).Drain(t.Context(), "s"))
	first := o.Thread("bugs", root)[1]
	require.Empty(t, first.Controls())
	require.Equal(t, thread[0].Text+"\n&gt; Approved by ada.", first.Text)
}

// Wherever an answer is lost, the reply and the file stand there once. The control is the
// same without the look-up.
func TestALostAnswerDoublesNoLongText(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"chat.postMessage", "files.getUploadURLExternal", "upload/v1", "files.completeUploadExternal"} {
		for _, blind := range []bool{false, true} {
			o := openOffice(t, slacktest.Config{})
			root := o.say("it fails", "")
			p := o.poster((&outbox{}).put(o.long(root)))
			p.blind = blind
			o.Order(slacktest.Fault{Method: method, LoseAnswer: true})
			require.Error(t, p.Drain(t.Context(), "s"), method)
			require.NoError(t, p.Drain(t.Context(), "s"), method)
			require.Equal(t, blind, len(o.Thread("bugs", root)) > 3, method)
		}
	}
}

// Where Slack takes no file, nothing of the text is missing: it follows in replies, also
// when that is cut off in the middle.
func TestLongTextWithoutFilesFollowsInReplies(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{})
	root := o.say("it fails", "")
	posting := o.long(root)
	posting.Lines[0].Text = strings.Repeat("A paragraph of some words.\n\n", 500)
	p := o.poster((&outbox{}).put(posting))
	o.Order(slacktest.Fault{Method: "files.getUploadURLExternal", Error: "missing_scope", Times: 2})
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 3, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	words := 0
	for i, m := range o.Thread("bugs", root)[1:] {
		words += strings.Count(m.Text, "A paragraph of some words.")
		require.Equal(t, i == 1, strings.Contains(m.Text, "could not be attached: the app lacks the scope `files:write`"))
	}
	require.Equal(t, 500, words)
}

func TestPlacesInCodeAreLinks(t *testing.T) {
	t.Parallel()
	r := renderer{Code: map[string]string{"shop": "https://github.com/acme/shop/blob/{commit}/{path}#L{line}"}}
	code := &workflow.Code{Repository: "shop", Commit: "c0ffee", Places: []string{"money/split.go:13", "a b|c.go:1"}}
	for text, want := range map[string]string{
		"see money/split.go:13.":              "see <https://github.com/acme/shop/blob/c0ffee/money/split.go#L13|money/split.go:13>.",
		"see `money/split.go:13`":             "see <https://github.com/acme/shop/blob/c0ffee/money/split.go#L13|money/split.go:13>",
		"see `money/split.go:13 or so`":       "see `money/split.go:13 or so`",
		"```\nmoney/split.go:13\n```":         "```\nmoney/split.go:13\n```",
		"not money/split.go:14":               "not money/split.go:14",
		"nor example.com:8080 <!here>":        "nor example.com:8080 &lt;!here&gt;",
		"https://x.example/money/split.go:13": "`https://x.example/money/split.go:13`",
	} {
		got := r.line(workflow.Line{Agent: "deep", Text: text, Code: code})
		require.Equal(t, want, strings.TrimSpace(strings.TrimPrefix(got, "[deep]")))
	}
	// Without a host that shows code, or for another repository, places are words.
	code.Repository = "other"
	require.Equal(t, "[deep] money/split.go:13", r.line(workflow.Line{Agent: "deep", Text: "money/split.go:13", Code: code}))
	require.Equal(t, "[deep] money/split.go:13", r.line(workflow.Line{Agent: "deep", Text: "money/split.go:13"}))
}

func TestTablesAndNestedListsCanBeRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, "```\nfile           | tests | why\n-------------- | ----- | -------------\nmoney/split.go | 3     | `a | b`\nx              | 12    | a | b &lt;!here&gt;\n```",
		strings.ReplaceAll(renderer{}.mrkdwn("| file | tests | why |\n|:--|--:|---|\n| money/split.go | 3 | `a | b` |\n| x | 12 | a \\| b <!here> |"), "\u200b", ""))
	require.Equal(t, "1. one\n   - two *b*\n     - three\n2. four", renderer{}.mrkdwn("1. one\n   - two **b**\n     * three\n2. four"))
}
