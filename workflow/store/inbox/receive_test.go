package inbox_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// receiveBeside receives a message while sessions at work hold all connections of their pool.
func receiveBeside(t *testing.T, guarded bool, within time.Duration) error {
	t.Helper()
	s, err := store.Open(t.Context(), postgrestest.Database(t, storetest.Migrate), storetest.Silent)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	if !guarded {
		own := s.Arrivals
		s.Arrivals = s.Pool
		t.Cleanup(func() { s.Arrivals = own })
	}
	for range s.Pool.Config().MaxConns {
		held, err := s.Pool.Acquire(t.Context())
		require.NoError(t, err)
		t.Cleanup(held.Release)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return storetest.Inbox(s).Receive(ctx, storetest.Mention("Ev1", "it fails"))
}

func TestAMessageWaitsForNoSession(t *testing.T) {
	t.Parallel()
	require.NoError(t, receiveBeside(t, true, time.Minute))
}

// The control: with the sessions' own pool, the message waits for them.
func TestWithTheSessionsConnectionsItWaits(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, receiveBeside(t, false, 50*time.Millisecond), context.DeadlineExceeded)
}

// What is entered as a limit is a limit, and what was sent on is another person's, so neither may end the
// run. An edit that says stop stops, as a message does.
func TestOnlyWhatCanBeJudgedAsAStopAsksForOne(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	in := storetest.Mention("Ev1", "look")
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	for i, c := range []struct {
		kind   workflow.MessageKind
		action workflow.ActionID
		stops  int
	}{
		{workflow.MessageEdit, "", 1},
		{workflow.MessageSent, "", 0},
		{workflow.MessageForm, workflow.ButtonFixLimited, 0},
		{workflow.MessageForm, workflow.ButtonRepository, 0},
		{workflow.MessageForm, workflow.ButtonCorrect, 1},
		{workflow.MessageReply, "", 1},
	} {
		_, err := s.Pool.Exec(t.Context(), `update sessions set stop_asked = false`)
		require.NoError(t, err)
		said := in
		said.EventID = fmt.Sprint("Said", i)
		said.TS = fmt.Sprint(in.TS, i)
		said.Kind = c.kind
		said.ActionID = c.action
		said.Text = "stop"
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), said))
		require.Equal(t, c.stops, storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`),
			"%s %s", c.kind, c.action)
	}
}

// The words of the configuration stop at once, as the built-in ones do; without them the same message does
// not.
func TestAddedWordsStop(t *testing.T) {
	t.Parallel()
	words, err := intent.NewLexicon(map[string][]string{"stop": {"finito"}})
	require.NoError(t, err)
	for name, lexicon := range map[string]intent.Lexicon{"added": words, "control": {}} {
		s := storetest.Open(t)
		in := storetest.Mention("Ev1", "look")
		box := storetest.Inbox(s)
		box.Words = lexicon
		require.NoError(t, box.Receive(t.Context(), in))
		said := in
		said.EventID = "Ev2"
		said.TS = in.TS + "1"
		said.Kind = workflow.MessageReply
		said.Text = "finito, falsche Datei"
		require.NoError(t, box.Receive(t.Context(), said))
		stops := storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`)
		require.Equal(t, name == "added", stops == 1, name)
	}
}

// begun holds how a session begins in a thread that is read again, with the seconds of the messages that are
// received of it.
var begun = map[string]struct {
	begins workflow.IncomingEvent
	known  string // ts of a message that agents were shown with the session's first message
	want   string
}{
	"a mention": {
		workflow.IncomingEvent{Kind: workflow.MessageMention, TS: "1700000020.000100"}, "", "30 40",
	},
	"the root": {
		workflow.IncomingEvent{Kind: workflow.MessageMention, TS: "1700000000.000100"}, "", "10 20 30 40",
	},
	"a message sent on": {
		workflow.IncomingEvent{Kind: workflow.MessageSent, TS: "1700000020.000100"},
		"1700000030.000100",
		"40",
	},
	"the root sent on": {
		workflow.IncomingEvent{Kind: workflow.MessageSent, TS: "1700000000.000100"},
		"1700000030.000100",
		"10 20 40",
	},
	"the root, edited before": {
		workflow.IncomingEvent{
			Kind:     workflow.MessageSent,
			ActionID: workflow.ByEdit,
			EventID:  "again:C1:1700000000.000100",
			TS:       "1700000000.000100",
		},
		"1700000030.000100",
		"10 20 30 40",
	},
	"one edited before": {
		workflow.IncomingEvent{
			Kind:     workflow.MessageSent,
			ActionID: workflow.ByEdit,
			EventID:  "again:C1:1700000020.000100",
			TS:       "1700000020.000100",
		},
		"1700000030.000100",
		"30 40",
	},
	"the root, edited later": {
		workflow.IncomingEvent{
			Kind:     workflow.MessageSent,
			ActionID: workflow.ByEdit,
			TS:       "1700000000.000100",
		},
		"1700000030.000100",
		"10 20 40",
	},
	"an alert": {
		workflow.IncomingEvent{Kind: workflow.MessageAlert, TS: "1700000000.000100"},
		"1700000030.000100",
		"10 20 30 40",
	},
	"a mention, seen as well": {
		workflow.IncomingEvent{Kind: workflow.MessageMention, TS: "1700000020.000100"},
		"1700000030.000100",
		"30 40",
	},
}

// TestWordsFromBeforeTheSessionAreNoReplies checks what is received of a thread that is read again: only what
// was written after the bot was called in it, edited or not.
func TestWordsFromBeforeTheSessionAreNoReplies(t *testing.T) {
	t.Parallel()
	for name, c := range begun {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := storetest.Open(t)
			c.begins.EventID = cmp.Or(c.begins.EventID, "Ev1")
			c.begins.Text = "it fails"
			c.begins.Thread = workflow.Thread{Team: "T1", Channel: "C1", TS: "1700000000.000100"}
			if c.begins.Kind == workflow.MessageAlert {
				c.begins.Alert = &workflow.Alert{Fingerprint: "f"}
			}
			require.NoError(t, storetest.Inbox(s).Receive(ctx, c.begins))
			if c.known != "" {
				_, err := s.Pool.Exec(ctx,
					`insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at) select
						id, 'Ev2', 'earlier', $1, 'U1', now() from sessions`,
					c.known)
				require.NoError(t, err)
			}
			for _, second := range []string{"10", "20", "30", "40"} {
				in := workflow.IncomingEvent{
					EventID: "again:" + second,
					Kind:    workflow.MessageReply,
					Thread:  c.begins.Thread,
					TS:      fmt.Sprintf("17000000%s.000100", second),
					User:    "U2",
					Text:    "stop",
				}
				require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
				if in.TS == c.begins.TS {
					continue
				}
				in.EventID = in.EventID + ":edited"
				in.Kind = workflow.MessageEdit
				in.ActionID = workflow.ReadAgain
				require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
			}
			require.Equal(t, c.want, replies(t, s))
			require.Equal(t, len(strings.Fields(c.want)),
				storetest.CountRows(t, s, `select count(*) from inbox where kind = 'edit'`))
		})
	}
}

// TestAMessageThatWasReadAfterItsEditIsWritten checks that of two people's words with such a message between
// them, the second are not taken for an answer to the first.
func TestAMessageThatWasReadAfterItsEditIsWritten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := storetest.Open(t)
	in := workflow.IncomingEvent{
		EventID: "Ev1",
		Kind:    workflow.MessageMention,
		Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: "1.1"},
		TS:      "1.1",
		User:    "U1",
		Text:    "it fails",
	}
	edit := in
	edit.EventID = "again"
	edit.Kind = workflow.MessageEdit
	edit.ActionID = workflow.ReadAgain
	edit.TS = "1.3"
	edit.User = "U2"
	edit.Text = "with coupons?"
	require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
	require.NoError(t, storetest.Inbox(s).Receive(ctx, edit))
	sessions, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	for before, want := range map[string]bool{"1.4": true, "1.3": false} {
		wrote, err := inbox.OfSession(s.DB, sessions[0].ID).OthersWrote(ctx, "U1", "1.2", before)
		require.NoError(t, err)
		require.Equal(t, want, wrote)
	}
}

// TestAMentionThatIsAddedByAnEditBeginsOneSession checks that such a mention begins a session where there is
// none, and nothing else: in a thread of a session, the edit itself tells of it.
func TestAMentionThatIsAddedByAnEditBeginsOneSession(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := storetest.Open(t)
	event := func(thread string, kind workflow.MessageKind, text string) workflow.IncomingEvent {
		in := workflow.IncomingEvent{
			EventID: fmt.Sprint(thread, kind, text),
			Kind:    kind,
			Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: thread},
			TS:      thread,
			User:    "U1",
			Text:    text,
		}
		if kind == workflow.MessageSent {
			in.ActionID = workflow.ByEdit
			in.Value = in.User
		}
		return in
	}
	for thread, c := range map[string]struct {
		came [][]workflow.IncomingEvent
		want []string
	}{
		"1.1": {
			[][]workflow.IncomingEvent{
				{event("1.1", workflow.MessageEdit, "look")},
				{event("1.1", workflow.MessageSent, "look")},
				{event("1.1", workflow.MessageSent, "look here")},
			},
			[]string{"sent look"},
		},
		"2.1": {
			[][]workflow.IncomingEvent{{
				event("2.1", workflow.MessageEdit, "look"), event("2.1", workflow.MessageSent, "look"),
				event("2.1", workflow.MessageEdit, "look here"),
				event("2.1", workflow.MessageSent, "look here"),
			}},
			[]string{"sent look", "edit look here"},
		},
		"3.1": {
			[][]workflow.IncomingEvent{{
				event("3.1", workflow.MessageMention, "look"),
				event("3.1", workflow.MessageEdit, "look here"),
				event("3.1", workflow.MessageSent, "look here"),
			}},
			[]string{"mention look", "edit look here"},
		},
		"5.1": {
			[][]workflow.IncomingEvent{
				{event("5.1", workflow.MessageSent, "look")},
				{event("5.1", workflow.MessageMention, "look again")},
				{event("5.1", workflow.MessageReply, "look as reply")},
			},
			[]string{"sent look"},
		},
		"6.1": {
			[][]workflow.IncomingEvent{{
				event("6.1", workflow.MessageSent, "look"),
				event("6.1", workflow.MessageMention, "look again"),
			}},
			[]string{"sent look"},
		},
		"4.1": {
			[][]workflow.IncomingEvent{
				{event("4.1", workflow.MessageMention, "look")},
				{event("4.1", workflow.MessageSent, "look here")},
			},
			[]string{"mention look"},
		},
	} {
		for _, came := range c.came {
			require.NoError(t, storetest.Inbox(s).Receive(ctx, came...))
		}
		rows, err := s.Pool.Query(ctx,
			`select i.kind || ' ' || i.text from inbox i join sessions s on s.id = i.session_id
				where s.thread_ts = $1 order by i.id`,
			thread)
		require.NoError(t, err)
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Equal(t, c.want, got, thread)
	}
}

// replies returns the seconds of the replies that are in the inbox and get a reaction.
func replies(t *testing.T, s *store.Store) string {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(),
		`select substr(message_ts, 9, 2) from inbox join outbox on on_ts = message_ts and reaction = 'eyes'
			where kind = 'reply' order by message_ts`)
	require.NoError(t, err)
	seconds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(seconds, " ")
}
