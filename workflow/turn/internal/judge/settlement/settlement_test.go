package settlement_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/settlement"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// asks returns the turn of a session that waits for a button.
// If shown, the message is in Slack, and key is its posting's.
func asks(t *testing.T, s *store.Store, shown bool) (turn *store.Turn, key string) {
	t.Helper()
	return asksWith(t, s, workflow.ButtonFix, shown)
}

func asksWith(
	t *testing.T, s *store.Store, action workflow.ActionID, shown bool,
) (turn *store.Turn, key string) {
	t.Helper()
	turn = storetest.BeginSettling(t, s, settlement.Rule)
	require.NoError(t, turn.Record(t.Context(),
		store.Lines{{Agent: "orchestrator", Text: "shall I?", Buttons: []workflow.Button{
			{ActionID: action, Label: "Fix it", Value: "opaque"},
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

// TestAFirstReportSaysNothingBelow shows the first report after a message with buttons: these are removed,
// and nothing is said of a revision, since there was none.
func TestAFirstReportSaysNothingBelow(t *testing.T) {
	t.Parallel()
	for revision, note := range map[int]string{1: "", 2: "Revision 2 below counts now."} {
		s := storetest.Open(t)
		turn, key := asks(t, s, true)
		report := workflow.Report{
			Revision: revision, Kind: "root_cause", Body: []byte(`{}`), Text: "it is so",
			BaseCommit: "c0ffee",
		}
		require.NoError(t, turn.Record(t.Context(), consent.Report(report)))
		p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		require.NotNil(t, p)
		require.Equal(t, []string{key, note}, []string{p.Rewrites, p.Note})
		require.Empty(t, p.Lines[0].Buttons)
	}
}

func TestWhatWasAnsweredIsWrittenAgainWithoutButtons(t *testing.T) {
	t.Parallel()
	opens := true
	handled := inbox.Handled{ID: 1, ForAgents: true}
	report := workflow.Report{
		Revision:   2,
		Kind:       "root_cause",
		Body:       []byte(`{}`),
		Text:       "newer",
		BaseCommit: "c0ffee",
	}
	cases := map[string]struct {
		parts []store.Part
		note  string // empty: the buttons stay
	}{
		"words for the agents": {[]store.Part{handled, store.Update{Open: &opens}}, ""},
		"a newer report":       {[]store.Part{consent.Report(report)}, "Revision 2 below counts now."},
		"a stop": {
			[]store.Part{store.Update{Events: []workflow.Event{workflow.EventStop}}},
			"Stopped.",
		},
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
			require.Equal(t, []string{key, "7.7", c.note, "[orchestrator] shall I?"},
				[]string{p.Rewrites, p.OnTS, p.Note, p.Text()})
			require.Empty(t, p.Lines[0].Buttons)
			storetest.MarkPosted(t, s, p.Key, p.OnTS)
			require.NoError(t, turn.Record(t.Context(), handled, store.Update{Open: &opens}))
			p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Nil(t, p, "once")
			_, _, known, err := turn.Button(t.Context(), workflow.ButtonFix, "opaque")
			require.NoError(t, err)
			require.True(t, known, "a press that was on its way is still judged")
		})
	}
}

// The control: a turn that was begun without the rule removes no buttons.
func TestATurnBegunWithoutTheRuleSettlesNothing(t *testing.T) {
	t.Parallel()
	for settled, rule := range map[int]store.SettleRule{1: settlement.Rule, 0: store.NoSettling} {
		s := storetest.Open(t)
		turn := storetest.BeginSettling(t, s, rule)
		fix := workflow.Button{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque"}
		require.NoError(t, turn.Record(t.Context(),
			store.Lines{{Agent: "orchestrator", Text: "shall I?", Buttons: []workflow.Button{fix}}}))
		require.NoError(t,
			turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
		require.Equal(t, settled,
			storetest.CountRows(t, s, `select count(*) from outbox where settled is not null`))
	}
}

// A remark answers a choice of repository, but no decision.
func TestRemarksLeaveDecisionsOpen(t *testing.T) {
	t.Parallel()
	opens := true
	for action, stays := range map[workflow.ActionID]bool{
		workflow.ButtonChoose:       false,
		workflow.ButtonFix:          true,
		workflow.ButtonConfirm:      true,
		workflow.ButtonOption:       true,
		workflow.ButtonTakeDefaults: true,
		workflow.ButtonPush:         true,
	} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			turn, key := asksWith(t, s, action, true)
			require.NoError(t,
				turn.Record(t.Context(), inbox.Handled{ID: 1, ForAgents: true}, store.Update{Open: &opens}))
			p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			if stays {
				require.Nil(t, p)
				return
			}
			require.Equal(t, []string{key, "Answered below."}, []string{p.Rewrites, p.Note})
		})
	}
}

// A question that is asked again replaces the same message, with other words and buttons.
func TestAQuestionIsReworded(t *testing.T) {
	t.Parallel()
	for name, shown := range map[string]bool{"it is in Slack": true, "nobody saw it yet": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			turn, key := asks(t, s, shown)
			reword := func(text, value string) {
				t.Helper()
				require.NoError(t, turn.Record(t.Context(), store.Reworded{
					ActionID: workflow.ButtonFix,
					Label:    "Fix it",
					Line: workflow.Line{
						Agent: "orchestrator",
						Text:  text,
						Buttons: []workflow.Button{
							{ActionID: workflow.ButtonFix, Label: "Fix it", Value: value},
						},
					},
				}))
			}
			reword("bea, shall I?", "second")
			p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Equal(t, "[orchestrator] bea, shall I?", p.Text())
			require.Equal(t, "second", p.Lines[0].Buttons[0].Value)
			require.Empty(t, p.Note)
			if shown {
				require.Equal(t, []string{key, "7.7"}, []string{p.Rewrites, p.OnTS})
			} else {
				require.Empty(t, p.Rewrites)
			}
			storetest.MarkPosted(t, s, p.Key, "7.7")
			reword("ann, shall I?", "third")
			again, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Equal(t, []string{p.Key, "7.7", "[orchestrator] ann, shall I?"},
				[]string{again.Rewrites, again.OnTS, again.Text()})
			storetest.MarkPosted(t, s, again.Key, "7.7")

			require.NoError(t,
				turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
			p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Equal(t, []string{"7.7", "Stopped.", "[orchestrator] ann, shall I?"},
				[]string{p.OnTS, p.Note, p.Text()})
			storetest.MarkPosted(t, s, p.Key, p.OnTS)
			p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
			require.NoError(t, err)
			require.Nil(t, p, "one message loses its buttons once")
			for _, value := range []string{"opaque", "second", "third"} {
				_, _, known, err := turn.Button(t.Context(), workflow.ButtonFix, value)
				require.NoError(t, err)
				require.True(t, known, "a press that was on its way is still judged: %s", value)
			}
		})
	}
}

func TestWhatWasNeverShownGoesOutWithoutButtons(t *testing.T) {
	t.Parallel()
	t.Run("never tried", func(t *testing.T) {
		t.Parallel()
		goesOutWithoutButtons(t, false)
	})
	t.Run("refused while the bot was out", func(t *testing.T) {
		t.Parallel()
		goesOutWithoutButtons(t, true)
	})
}

func goesOutWithoutButtons(t *testing.T, refused bool) {
	t.Helper()
	s := storetest.Open(t)
	turn, _ := asks(t, s, false)
	if refused {
		p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		require.NoError(t, outbox.New(s.DB).Refused(t.Context(), p.Key, "not_in_channel"))
	}
	require.NoError(t, turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
	if refused {
		back := workflow.IncomingEvent{
			EventID: "Ev9",
			Kind:    workflow.MessageReply,
			Thread:  turn.Session().Thread,
			TS:      "1700000030.000100",
			User:    "U1",
			Text:    "well",
		}
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), back))
	}
	p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Equal(t, "[orchestrator] shall I?", p.Text())
	require.Empty(t, p.Lines[0].Buttons)
	storetest.MarkPosted(t, s, p.Key, "7.7")
	p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, p)
}
