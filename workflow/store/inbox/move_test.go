package inbox_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// newRoot is the ts of the thread to which sessions move.
const newRoot = "1900000000.000100"

// moved returns a store whose session has moved from storetest.Thread to a thread in C2, and its turn.
func moved(t *testing.T) (*store.Store, *store.Turn) {
	t.Helper()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	key := storetest.Moving(t, turn)
	for {
		p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		require.NotNil(t, p)
		if p.Key == key {
			require.True(t, p.Begins)
			require.Equal(t, workflow.Thread{Team: "T1", Channel: "C2"}, p.Thread)
			break
		}
		storetest.MarkPosted(t, s, p.Key, "1.5")
	}
	stands, err := outbox.New(s.DB).Began(t.Context(), key, newRoot)
	require.NoError(t, err)
	require.Equal(t, newRoot, stands)
	require.NoError(t, turn.Refresh(t.Context()))
	return s, turn
}

// alone returns what people were shown alone in the thread that was left, in order.
func alone(t *testing.T, s *store.Store) []string {
	t.Helper()
	rows, err := s.Pool.Query(t.Context(), `select ephemeral_to || ': ' || split_part(ephemeral, '.', 1) ||
		split_part(ephemeral, '>', 2) from outbox
		where ephemeral_to <> '' and channel = 'C1' and thread_ts = '1.0' order by id`)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return list
}

func TestASessionThatMovedIsInItsNewThread(t *testing.T) {
	t.Parallel()
	s, turn := moved(t)
	there := workflow.Thread{Team: "T1", Channel: "C2", TS: newRoot}
	require.Equal(t, there, turn.Session().Thread)
	require.Equal(t, storetest.Thread, turn.Session().ThreadOf("1.0"))
	require.Equal(t, there, turn.Session().ThreadOf(newRoot))
	require.Equal(t, there, turn.Session().ThreadOf("1900000000.000200"))
	require.True(t, turn.Session().IsRoot("1.0"))

	in := storetest.Reply("Ev2", "1900000000.000200", "and the tax?")
	in.Thread = there
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox where text = 'and the tax?'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions`))
	require.Empty(t, alone(t, s))
}

// What is written or pressed in the thread that was left is answered to its writer alone, once, and begins
// nothing. What was received before is no news.
func TestTheThreadThatWasLeftAnswers(t *testing.T) {
	t.Parallel()
	s, _ := moved(t)
	press := storetest.Reply("Ev4", "1.0", "")
	press.Kind = workflow.MessageAction
	press.ActionID = workflow.ButtonFix
	press.Value = "x"
	preview := storetest.Reply("Ev6", "1900000000.000600", "a page")
	preview.Kind = workflow.MessagePreview
	mention := storetest.Reply("Ev3", "1900000000.000300", "look again")
	twin := mention
	twin.EventID = "Ev3b"
	mention.Kind = workflow.MessageMention
	for range 2 {
		for _, in := range []workflow.IncomingEvent{
			storetest.Mention("Ev1", "total is off"), storetest.Reply("Ev2", "1900000000.000200", "fix it"),
			mention, twin, press, storetest.Reply("Ev5", "1900000000.000500", "<@U9> lunch?"), preview,
		} {
			require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
		}
	}
	require.Len(t, alone(t, s), 3)
	require.Equal(t, 2, storetest.CountRows(t, s,
		`select count(*) from outbox where ephemeral like '%[#payments](%). Your message is not lost%'`))
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from outbox where ephemeral like '%[#payments](%), so this button does nothing%'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox`))
}

// What takes something back counts in the thread that was left, too.
func TestAStopAndADeletionCountInTheThreadThatWasLeft(t *testing.T) {
	t.Parallel()
	s, _ := moved(t)
	stop := storetest.Reply("Ev2", "1900000000.000200", "stop")
	edit := storetest.Reply("Ev3", "1.0", "no, the tax is off")
	edit.Kind = workflow.MessageEdit
	for range 2 {
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), stop))
		require.NoError(t, storetest.Inbox(s).Receive(t.Context(), edit))
	}
	require.Equal(t, 1, storetest.CountRows(t, s,
		`select count(*) from inbox where kind = 'action' and action_id = 'stop' and user_id = 'U2'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox where kind = 'edit'`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions where stop_asked`))
	require.Len(t, alone(t, s), 1)
}

// A mention that is received at the moment of the move begins no session in the thread that is left.
func TestNoSessionBeginsInAThreadWhileItIsLeft(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	key := storetest.Moving(t, turn)
	posted := false
	for !posted {
		p, err := outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		if posted = p.Key == key; !posted {
			storetest.MarkPosted(t, s, p.Key, "1.5")
		}
	}
	// the move holds the session's row until the mention waits for it
	began := make(chan error, 1)
	require.NoError(t, pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update sessions set channel = 'C2', thread_ts = $1`, newRoot)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `update moves set state = 'moved', to_ts = $1, newest = $1`, newRoot)
		require.NoError(t, err)
		go func() {
			began <- storetest.Inbox(s).Receive(t.Context(), storetest.Mention("Ev2", "and the tax?"))
		}()
		for waiting := 0; waiting == 0; {
			waiting = storetest.CountRows(t, s, `select count(*) from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`)
		}
		return nil
	}))
	require.ErrorContains(t, <-began, "a session is moving")
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), storetest.Mention("Ev2", "and the tax?")))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from sessions`))
}

// While the first message of a thread is being posted, nobody knows its ts: what is written below it has to
// be received again, and begins no session of its own.
func TestWhatIsWrittenInAThreadThatIsBegunComesAgain(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	key := storetest.Moving(t, turn)
	in := storetest.Mention("Ev2", "and the tax?")
	in.Thread = workflow.Thread{Team: "T1", Channel: "C2", TS: newRoot}
	in.TS = "1900000000.000200"
	for p := (&workflow.Posting{}); p.Key != key; {
		var err error
		p, err = outbox.New(s.DB).Next(t.Context(), turn.Session().ID)
		require.NoError(t, err)
		if p.Key != key {
			storetest.MarkPosted(t, s, p.Key, "1.5")
		}
	}
	require.ErrorContains(t, storetest.Inbox(s).Receive(t.Context(), in), "a session is moving")
	old := in
	old.EventID = "Ev3"
	old.Thread.TS = "1000000000.000100" // an older thread of the same channel is no matter of this
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), old))
	_, err := outbox.New(s.DB).Began(t.Context(), key, newRoot)
	require.NoError(t, err)
	require.NoError(t, storetest.Inbox(s).Receive(t.Context(), in))
	require.Equal(t, 2, storetest.CountRows(t, s, `select count(*) from sessions`))
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from inbox i
		join sessions s on s.id = i.session_id and s.thread_ts = $1 where i.event_id = 'Ev2'`, newRoot))
}
