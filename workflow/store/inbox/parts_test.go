package inbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A repository gets one part, with what the agents of the thread were given. From then on it gets what people
// write in the thread, each message once, and a stop stops it, too.
func TestPartsOfAThread(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Inbox(s)
	mention := storetest.Mention("Ev1", "the heading is wrong")
	require.NoError(t, in.Receive(t.Context(), mention))
	turn := storetest.BeginTurn(t, s)
	unread, err := turn.Inbox().Unhandled(t.Context())
	require.NoError(t, err)
	begin := inbox.NewPart{Repository: "site", Found: "the heading is in site"}
	require.NoError(t, turn.Record(t.Context(), inbox.Handled{ID: unread[0].ID, ForAgents: true}))
	for range 2 {
		require.NoError(t, turn.Record(t.Context(), begin))
	}

	own := inbox.OfSession(s.DB, turn.Session().ID)
	parts, err := own.Parts(t.Context())
	require.NoError(t, err)
	require.Len(t, parts, 2)
	require.True(t, parts[0].Own)
	require.Equal(t, "site", parts[1].Repository)
	part := inbox.OfSession(s.DB, parts[1].Session)
	same, err := part.Parts(t.Context())
	require.NoError(t, err)
	require.Equal(t, parts, same)
	session, err := s.Session(t.Context(), parts[1].Session)
	require.NoError(t, err)
	require.Equal(t, mention.Thread, session.Thread)
	require.Equal(t, turn.Session().ID, session.PartOf)
	given, err := part.Unseen(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, given, 2)
	require.Equal(t, "the heading is wrong", given[0].Text)
	require.Equal(t, mention.User, given[0].User)
	require.Equal(t, begin.Found, given[1].AgentText)
	unread, err = part.Unhandled(t.Context())
	require.NoError(t, err)
	require.Empty(t, unread)

	stop := storetest.Reply("Ev2", "9.0", "stop")
	before := storetest.Reply("Ev3", "0.5", "fix it")
	for range 2 {
		require.NoError(t, in.Receive(t.Context(), stop, before))
	}
	unread, err = part.Unhandled(t.Context())
	require.NoError(t, err)
	require.Len(t, unread, 1, "what was written before the part began is not for it")
	require.Equal(t, "stop", unread[0].Text)
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from outbox where reaction = 'eyes'
		and on_ts = '9.0'`))
}

// What was written before the part began, and is not judged yet, is judged in the part, too.
func TestAPartGetsWhatIsNotJudgedYet(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Inbox(s)
	require.NoError(t, in.Receive(t.Context(), storetest.Mention("Ev1", "fix it in site")))
	turn := storetest.BeginTurn(t, s)
	unread, err := turn.Inbox().Unhandled(t.Context())
	require.NoError(t, err)
	late := storetest.Reply("Ev2", "9.0", "site: only the heading")
	edit := storetest.Reply("Ev3", "9.0", "site: only the title")
	edit.Kind = workflow.MessageEdit
	require.NoError(t, in.Receive(t.Context(), late, edit))
	require.NoError(t, turn.Record(t.Context(), inbox.Handled{ID: unread[0].ID},
		inbox.NewPart{Repository: "site"}))
	parts, err := turn.Inbox().Parts(t.Context())
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, in.Receive(t.Context(), late, edit))
		unread, err = inbox.OfSession(s.DB, parts[1].Session).Unhandled(t.Context())
		require.NoError(t, err)
		require.Len(t, unread, 2)
		require.Equal(t, late.Text, unread[0].Text)
		require.Equal(t, edit.Text, unread[1].Text)
	}
}

// A press belongs to the part whose button it is. A form that its button opened does, too.
func TestPressesOfAPart(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Inbox(s)
	mention := storetest.Mention("Ev1", "the heading is wrong")
	require.NoError(t, in.Receive(t.Context(), mention))
	turn := storetest.BeginTurn(t, s)
	require.NoError(t, turn.Record(t.Context(), inbox.NewPart{Repository: "site"}))
	parts, err := turn.Inbox().Parts(t.Context())
	require.NoError(t, err)
	for i, p := range parts {
		value := []string{"own-button", "part-button"}[i]
		_, err := s.Pool.Exec(t.Context(), `insert into buttons (id, session_id, action_id, revision)
			values ($1, $2, 'fix_it', 0)`, value, p.Session)
		require.NoError(t, err)
		press := mention
		press.EventID = "press " + value
		press.Kind = workflow.MessageAction
		press.TS = "5.0"
		press.ActionID = workflow.ButtonFix
		press.Value = value
		require.NoError(t, in.Receive(t.Context(), press))
		unread, err := inbox.OfSession(s.DB, p.Session).Unhandled(t.Context())
		require.NoError(t, err)
		require.Equal(t, value, unread[len(unread)-1].Value)
	}
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from inbox where kind = 'action'`))
}
