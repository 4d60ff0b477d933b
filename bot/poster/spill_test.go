package poster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// long returns a posting with a button that would need more than three replies.
func (po *posterOffice) long(root string) workflow.Posting {
	p := po.Posting("s:9", root, "# What I found\n\n"+
		strings.Repeat("A paragraph of some words.\n\n```\ncode <!channel>\n```\n\n", 300))
	p.Lines[0].Buttons = []workflow.Button{{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "id"}}
	return p
}

// TestLongTextIsAFile checks that a text of more than three replies becomes one reply with a file.
func TestLongTextIsAFile(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	p := o.long(root)
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(p)).Drain(t.Context(), "s"))
	thread := o.Thread("bugs", root)[1:]
	require.Len(t, thread, 2)
	require.LessOrEqual(t, len(thread[0].Text), render.MaxPart)
	require.Contains(t, thread[0].Text, "in the file `deep.md` below)")
	require.Equal(t, 0, strings.Count(thread[0].Text, mrkdwn.Fence)%2, "fences are closed")
	require.Len(t, thread[0].Controls(), 1)
	require.Equal(t, "What I found A paragraph of some words.", thread[1].Files[0].Title[:39])
	whole, err := o.FileContent(thread[1].Files[0].ID)
	require.NoError(t, err)
	require.Equal(t, p.Text(), whole)

	// The buttons disappear when they were answered, and the text stays.
	again := p
	again.Key = "s:9:settled"
	again.Rewrites = "s:9"
	again.OnTS = thread[0].TS
	again.Note = "Approved by ada."
	again.Lines = []workflow.Line{{Agent: "deep", Text: p.Lines[0].Text}}
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(again)).Drain(t.Context(), "s"))
	first := o.Thread("bugs", root)[1]
	require.Empty(t, first.Controls())
	require.Equal(t, thread[0].Text+"\n&gt; ◆ Approved by ada.", first.Text)
}

// TestALostAnswerDoublesNoLongText checks that the reply and the file are in the thread once, whichever
// response is lost. The control does not look them up.
func TestALostAnswerDoublesNoLongText(t *testing.T) {
	t.Parallel()
	for _, method := range []string{
		"chat.postMessage", "files.getUploadURLExternal", "upload/v1", "files.completeUploadExternal",
	} {
		for _, blind := range []bool{false, true} {
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			p := o.poster((&bottest.Outbox{}).Put(o.long(root)))
			p.skipLookup = blind
			o.Order(slacktest.Fault{Method: method, LoseAnswer: true})
			require.Error(t, p.Drain(t.Context(), "s"), method)
			require.NoError(t, p.Drain(t.Context(), "s"), method)
			require.Equal(t, blind, len(o.Thread("bugs", root)) > 3, method)
		}
	}
}

// TestLongTextWithoutFilesFollowsInReplies checks that the whole text follows in replies if Slack accepts no
// file, also if a response in the middle is lost.
func TestLongTextWithoutFilesFollowsInReplies(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	posting := o.long(root)
	posting.Lines[0].Text = strings.Repeat("A paragraph of some words.\n\n", 500)
	p := o.poster((&bottest.Outbox{}).Put(posting))
	o.Order(slacktest.Fault{Method: "files.getUploadURLExternal", Error: "missing_scope", Times: 2})
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 3, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	words := 0
	for i, m := range o.Thread("bugs", root)[1:] {
		words += strings.Count(m.Text, "A paragraph of some words.")
		require.Equal(t, i == 1,
			strings.Contains(m.Text, "could not be attached: the app lacks the scope `files:write`"))
	}
	require.Equal(t, 500, words)
}
