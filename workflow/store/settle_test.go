package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// asks is a session that waits under buttons; shown says whether they are in Slack.
func asks(t *testing.T, s *store.Store, shown bool) (turn *store.Turn, key string) {
	t.Helper()
	turn = storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context(),
		store.Lines{{Agent: "orchestrator", Text: "shall I?", Buttons: []workflow.Button{
			{ActionID: "fix_it", Label: "Fix it", Value: "opaque"},
		}}},
	))
	if shown {
		p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		storetest.MarkPosted(t, s, p.Key, "7.7")
		key = p.Key
	}
	return turn, key
}

func TestWhatWasAnsweredIsWrittenAgainWithoutButtons(t *testing.T) {
	t.Parallel()
	opens, handled := true, inbox.Handled{ID: 1, ForAgents: true}
	report := workflow.Report{Revision: 2, Kind: "root_cause", Body: []byte(`{}`), Text: "newer", BaseCommit: "c0ffee"}
	cases := map[string]struct {
		parts []store.Part
		note  string // empty: the buttons stay
	}{
		"words for the agents":   {[]store.Part{handled, store.Update{Open: &opens}}, "Answered below."},
		"a newer report":         {[]store.Part{consent.Report(report)}, "Revision 2 below counts now."},
		"a stop":                 {[]store.Part{store.Update{Events: []workflow.Event{workflow.EventStop}}}, "Stopped."},
		"a line":                 {[]store.Part{store.Lines{{Agent: "deep", Text: "still at it"}}}, ""},
		"a message set aside":    {[]store.Part{inbox.Handled{ID: 1}}, ""},
		"a model's turn goes on": {[]store.Part{store.Update{Open: &opens}}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			turn, key := asks(t, s, true)
			require.NoError(t, turn.Record(t.Context(), c.parts...))
			p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			if c.note == "" {
				require.True(t, p == nil || p.Rewrites == "")
				return
			}
			require.Equal(t, []string{key, "7.7", c.note, "[orchestrator] shall I?"}, []string{p.Rewrites, p.OnTS, p.Note, p.Text()})
			require.Empty(t, p.Lines[0].Buttons)
			storetest.MarkPosted(t, s, p.Key, p.OnTS)
			require.NoError(t, turn.Record(t.Context(), handled, store.Update{Open: &opens}))
			p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Nil(t, p, "once")
			_, _, known, err := turn.Button(t.Context(), "fix_it", "opaque")
			require.NoError(t, err)
			require.True(t, known, "a press that was on its way is still judged")
		})
	}
}

func TestWhatWasNeverShownGoesOutWithoutButtons(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn, _ := asks(t, s, false)
	require.NoError(t, turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
	p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Equal(t, "[orchestrator] shall I?", p.Text())
	require.Empty(t, p.Lines[0].Buttons)
	storetest.MarkPosted(t, s, p.Key, "7.7")
	p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, p)
}
