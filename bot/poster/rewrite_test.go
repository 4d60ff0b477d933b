package poster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// asked posts a text with buttons, and gives the posting that writes it again.
func (o *posterOffice) asked(root, text string) (again workflow.Posting) {
	posting := o.Posting("ask", root, text)
	posting.Lines[0].Buttons = []workflow.Button{{ActionID: "fix_it", Label: "Fix it", Value: "opaque"}}
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(o.T, o.poster(out).Drain(o.T.Context(), "s"))
	again = o.Posting("ask:settled", root, text)
	again.Rewrites, again.Note, again.OnTS = "ask", "Approved by <ann> & co.", out.ByKey["ask"]
	return again
}

func TestAnsweredButtonsVanish(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a paragraph that says a lot about a little\n\n", 150)
	for name, text := range map[string]string{"short": "shall I?", "of several parts": long + "shall I?", "with code": "see\n```\na < b\n```"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			again := o.asked(root, text)
			before := o.Thread("bugs", root)
			require.Len(t, before[len(before)-1].Controls(), 1)

			out := (&bottest.Outbox{}).Put(again)
			o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, LoseAnswer: true})
			require.Error(t, o.poster(out).Drain(t.Context(), "s"))
			require.NoError(t, o.poster(out).Drain(t.Context(), "s"), "what was tried is tried again: it changes nothing")

			after := o.Thread("bugs", root)
			require.Len(t, after, len(before), "no message more")
			last := after[len(after)-1]
			require.Empty(t, last.Controls())
			require.Equal(t, before[len(before)-1].Text+"\n&gt; Approved by &lt;ann&gt; &amp; co.", last.Text)
			require.JSONEq(t, string(before[len(before)-1].Metadata.EventPayload), string(last.Metadata.EventPayload), "it is still known by its key")
			for i := range len(after) - 1 {
				require.Equal(t, before[i].Text, after[i].Text)
			}
		})
	}
}

func TestAMessageThatIsGoneIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	again := o.asked(root, "shall I?")
	never := again
	never.Key, never.OnTS = "never", ""
	require.NoError(t, o.Delete("bugs", again.OnTS))
	out := (&bottest.Outbox{}).Put(again, never)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"ask:settled": "message_not_found"}, out.RefusedByKey)
	require.Contains(t, out.ByKey, "never")
}
