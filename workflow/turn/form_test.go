package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// filledIn judges a form and returns what was said then. If late is set, a newer report was shown after
// the form was received.
func filledIn(t *testing.T, late bool, in workflow.IncomingEvent) (th *thread, said []store.PostedLine) {
	t.Helper()
	o := openOffice(t)
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	_, err = th.show(t.Context(), workflow.ReportRootCause, workflow.EventReport)
	require.NoError(t, err)
	in.Kind = workflow.MessageForm
	in.User = o.actors[0].user
	in.TS = "2.0"
	in.Value = "opaque"
	require.NoError(t, th.Record(t.Context(),
		store.Lines(th.ProgramLine("the buttons", workflow.Button{ActionID: in.ActionID, Value: in.Value}))))
	require.NoError(t, th.receive(t.Context(), in))
	if late {
		_, err = th.show(t.Context(), workflow.ReportRootCause)
		require.NoError(t, err)
	}
	before, err := th.Store.Lines(t.Context(), th.Session().ID)
	require.NoError(t, err)
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	after, err := th.Store.Lines(t.Context(), th.Session().ID)
	require.NoError(t, err)
	return th, after[len(before):]
}

// The text of a form is quoted in the thread even if a newer report was shown meanwhile.
func TestAFormThatANewerReportOvertook(t *testing.T) {
	t.Parallel()
	th, said := filledIn(t, true, workflow.IncomingEvent{
		ActionID: workflow.ButtonCorrect,
		Text:     "not the cart",
	})
	require.Len(t, said, 1)
	require.Contains(t, said[0].Text, "corrects revision 1 (the newest is revision 2):\n> not the cart")
	unseen, err := th.Inbox().Unseen(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, unseen[len(unseen)-1].AgentText, "not the cart",
		"it is given to the agents all the same")

	th, said = filledIn(t, true, workflow.IncomingEvent{
		ActionID: workflow.ButtonFixLimited,
		Text:     "only cart/",
	})
	require.Len(t, said, 1)
	require.Equal(t, "bea: That was revision 1; the newest is revision 2. Please answer that one. "+
		"What you entered was:\n> only cart/", said[0].Text)
	a, err := th.Store.Approval(t.Context(), th.Session().ID, 2)
	require.NoError(t, err)
	require.Nil(t, a)
}

func TestWhatIsEnteredAsACorrectionIsNoApproval(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"fix it", "lgtm", "fix it, but only in cart/"} {
		th, said := filledIn(t, false, workflow.IncomingEvent{ActionID: workflow.ButtonCorrect, Text: text})
		require.Len(t, said, 2)
		require.Contains(t, said[1].Text, "shall I read “"+text+"” as approval of revision 1")
		a, err := th.Store.Approval(t.Context(), th.Session().ID, 1)
		require.NoError(t, err)
		require.Nil(t, a)
	}
	// The control: the same words, entered as limits, are an approval.
	th, _ := filledIn(t, false, workflow.IncomingEvent{
		ActionID: workflow.ButtonFixLimited,
		Text:     "only in cart/",
	})
	a, err := th.Store.Approval(t.Context(), th.Session().ID, 1)
	require.NoError(t, err)
	require.Equal(t, "only in cart/", a.Scope)
}
