package poster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// private returns a posting with a line for one person alone in the thread of root.
func (po *posterOffice) private(user, name, root string) workflow.Posting {
	p := po.Posting("k", root, "Only bea can approve here. <!channel>")
	p.Lines[0].Vouched = []int{0}
	p.EphemeralTo = user
	p.EphemeralName = name
	p.Reaction = "ephemeral"
	return p
}

// alone returns what people were shown alone in the thread.
func (po *posterOffice) alone() (texts []string) {
	for _, m := range po.Whispers() {
		texts = append(texts, m.To+": "+m.Message.Text)
	}
	return texts
}

const saidAlone = "[deep] ◆ Only bea can approve here. &lt;!channel&gt;"

func TestALineForOnePersonIsShownToThatPersonAlone(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	o.Order(slacktest.Fault{Method: "chat.postEphemeral", Status: 429})
	out := (&bottest.Outbox{}).Put(o.private(o.Ben.ID, "ben", root))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, []string{o.Ben.ID + ": " + saidAlone}, o.alone())
	require.Empty(t, o.replies(root))
	require.Contains(t, out.ByKey, "k")
}

// A person who left the channel is shown nothing alone. The line is not lost: it is posted in the thread, and
// names the person.
func TestALineThatCannotBeShownAloneIsPosted(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	gone := o.AddUser(slacktest.User{Name: "gus"})
	out := (&bottest.Outbox{}).Put(o.private(gone.ID, "gus", root))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Empty(t, o.alone())
	require.Equal(t, []string{"[deep] ◆ gus: Only bea can approve here. &lt;!channel&gt;"}, o.replies(root))
	require.Equal(t, out.ByKey["k"], o.Thread("bugs", root)[1].TS)
}

// Nobody knows whether a line was shown alone if the answer is lost. It is not shown alone again, but is
// posted in the thread once, however often that is tried.
func TestALineThatMayHaveBeenShownAloneIsPostedOnce(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(o.private(o.Ben.ID, "ben", root))
	o.Order(slacktest.Fault{Method: "chat.postEphemeral", Status: 503})
	o.Order(slacktest.Fault{Method: "chat.postMessage", LoseAnswer: true})
	require.Error(t, o.poster(out).Drain(t.Context(), "s"))
	require.Error(t, o.poster(out).Drain(t.Context(), "s"))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Empty(t, o.alone())
	require.Equal(t, []string{"[deep] ◆ ben: Only bea can approve here. &lt;!channel&gt;"}, o.replies(root))
	require.Len(t, o.Requests("chat.postEphemeral"), 1)
}

// The control: a posting without a line is a hint, which is lost with the answer.
func TestAHintIsLostWithItsAnswer(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	hint := o.private(o.Ben.ID, "ben", root)
	hint.Ephemeral = saidAlone
	hint.Lines = nil
	o.Order(slacktest.Fault{Method: "chat.postEphemeral", Status: 503})
	p := o.poster((&bottest.Outbox{}).Put(hint))
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.Empty(t, o.alone())
	require.Empty(t, o.replies(root))
}
