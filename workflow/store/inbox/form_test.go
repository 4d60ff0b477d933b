package inbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// withForms returns the turn of a session that shows revision 1 with its buttons.
func withForms(t *testing.T, s *store.Store) *store.Turn {
	t.Helper()
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context(),
		consent.Report{Revision: 1, Kind: "root_cause", Body: []byte(`{}`), Text: "the cause"},
		store.Lines{{
			Agent:    "orchestrator",
			Text:     "the cause",
			Mentions: []string{"U1", "S1"},
			Buttons: []workflow.Button{
				{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: "c"},
				{ActionID: workflow.ButtonFixLimited, Label: "Limits…", Value: "l"},
				{ActionID: workflow.ButtonCorrect, Label: "No", Value: "n", Means: "no"},
				{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "f"},
			},
		}},
	))
	return turn
}

func sent(event string, action workflow.ActionID, value, text string) workflow.IncomingEvent {
	return workflow.IncomingEvent{
		EventID:  event,
		Kind:     workflow.MessageForm,
		User:     "U1",
		ActionID: action,
		Value:    value,
		Text:     text,
		TS:       "2.0",
	}
}

func TestFormsOfButtons(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := withForms(t, s)
	f, err := storetest.Inbox(s).Form(t.Context(), workflow.ButtonCorrect, "c")
	require.NoError(t, err)
	require.Equal(t, &workflow.Form{
		ActionID:     workflow.ButtonCorrect,
		Value:        "c",
		Thread:       turn.Session().Thread,
		Session:      turn.Session().ID,
		Repositories: []string{""},
		Revision:     1,
	}, f)
	for _, c := range []struct {
		action workflow.ActionID
		value  string
	}{
		{workflow.ButtonCorrect, "l"},
		{workflow.ButtonFixLimited, "c"},
		{workflow.ButtonCorrect, "n"},
		{workflow.ButtonFix, "f"},
		{workflow.ButtonCorrect, "x"},
		{workflow.ButtonCorrect, ""},
	} {
		f, err := storetest.Inbox(s).Form(t.Context(), c.action, c.value)
		require.NoError(t, err)
		require.Nil(t, f, c)
	}
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from lines where calls = '{U1,S1}'`))
}

func TestWhatIsSentIsKeptOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := withForms(t, s)
	submit := func(in workflow.IncomingEvent) string {
		late, err := storetest.Inbox(s).Submit(t.Context(), in)
		require.NoError(t, err)
		return late
	}
	for range 3 {
		require.Empty(t, submit(sent("form:1", workflow.ButtonCorrect, "c", "the cart")))
	}
	require.Contains(t, submit(sent("form:2", workflow.ButtonCorrect, "x", "the cart")),
		"write it in the thread")
	require.Contains(t, submit(sent("form:3", workflow.ButtonFixLimited, "c", "only a.go")),
		"write it in the thread", "a value counts under its own action")

	require.NoError(t, turn.Record(t.Context(),
		consent.Report{Revision: 2, Kind: "root_cause", Body: []byte(`{}`), Text: "another"}))
	require.Empty(t, submit(sent("form:1", workflow.ButtonCorrect, "c", "the cart")), "what is kept is kept")
	require.Contains(t, submit(sent("form:4", workflow.ButtonCorrect, "c", "the tax")),
		"Revision 2 was shown meanwhile, and this is about revision 1")
	kept, err := turn.Inbox().Unhandled(t.Context())
	require.NoError(t, err)
	require.Len(t, kept, 2) // the mention, and one correction
	require.Equal(t, []string{"form", "the cart", "correct", "c"},
		[]string{string(kept[1].Kind), kept[1].Text, string(kept[1].ActionID), kept[1].Value})
}
