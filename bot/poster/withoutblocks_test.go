package poster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

func TestWhatSlackDoesNotDrawIsSaidInWords(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"} {
		o := openPosterOffice(t, slacktest.Config{})
		root := o.AdaSays("it fails", "")
		asked := o.Posting("k1", root, "shall I?")
		asked.Lines[0].Buttons = []workflow.Button{
			{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque"},
		}
		box := (&bottest.Outbox{}).Put(asked, o.Posting("k2", root, "and so on"))
		o.Order(slacktest.Fault{Method: "chat.postMessage", Error: code})
		require.NoError(t, o.poster(box).Drain(t.Context(), "s"))
		said := o.Thread("bugs", root)[1:]
		require.Len(t, said, 2, code)
		require.Contains(t, said[0].Text, "shall I?")
		require.Contains(t, said[0].Text, "Answer in words.")
		require.Empty(t, said[0].Controls())
	}
}
