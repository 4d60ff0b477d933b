package outbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// seenAt reports whether a message gets its reaction at once
// in a busy thread, whose lines Slack does not take.
func seenAt(t *testing.T, inOrder bool) bool {
	ctx := t.Context()
	s := storetest.Open(t)
	out := outbox.New(s.DB)
	out.KeepOrder(inOrder)
	require.NoError(t, storetest.Inbox(s).Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev1",
		Kind:    workflow.MessageMention,
		Thread:  storetest.Thread,
		TS:      "1.0",
		User:    "U1",
		Text:    "it fails",
	}))
	list, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	id := list[0].ID
	first, err := out.Reactions().Next(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "1.0", first.OnTS)
	_, err = out.Reactions().Posted(ctx, first.Key, "1.0")
	require.NoError(t, err)

	turn, err := s.Begin(ctx, id, store.NoSettling)
	require.NoError(t, err)
	for n := range 50 {
		require.NoError(t, turn.Record(ctx, store.Replies{{Agent: "deep", Text: fmt.Sprint("line ", n)}}))
	}
	line, err := out.Next(ctx, id) // and Slack asks to wait
	require.NoError(t, err)
	require.Equal(t, "[deep] line 0", line.Text())
	require.NoError(t, storetest.Inbox(s).Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev2",
		Kind:    workflow.MessageReply,
		Thread:  storetest.Thread,
		TS:      "2.0",
		User:    "U1",
		Text:    "stop",
	}))
	p, err := out.Reactions().Next(ctx, id)
	require.NoError(t, err)
	return p != nil && p.Reaction == "eyes" && p.OnTS == "2.0"
}

func TestAReactionDoesNotWaitForLines(t *testing.T) {
	t.Parallel()
	require.True(t, seenAt(t, false))
}

// The control: behind the lines, the reaction does not come at once.
func TestAReactionBehindLinesIsFoundOut(t *testing.T) {
	t.Parallel()
	require.False(t, seenAt(t, true))
}

// What one person alone is shown is recorded once for its key, and tried once: nobody can look whether it was
// shown.
func TestAHintIsTriedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	hint := store.Hint{Key: "1.0:U2", User: "U2", Text: "A reaction approves nothing."}
	require.NoError(t, turn.Record(ctx, hint))
	require.NoError(t, turn.Record(ctx, hint), "once")
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from outbox where ephemeral_to <> ''`))
	next := func() *workflow.Posting {
		p, err := outbox.New(s.DB).Reactions().Next(ctx, turn.Session().ID)
		require.NoError(t, err)
		return p
	}
	p := next()
	for p.EphemeralTo == "" { // the message that began the session is marked as seen
		_, err := outbox.New(s.DB).Reactions().Posted(ctx, p.Key, p.OnTS)
		require.NoError(t, err)
		p = next()
	}
	require.Equal(t, []any{"U2", "A reaction approves nothing.", false},
		[]any{p.EphemeralTo, p.Ephemeral, p.Tried})
	require.True(t, next().Tried, "after a crash")
	line, err := outbox.New(s.DB).Next(ctx, turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, line, "it is no line")
}

// A line for one person alone is recorded once for its key, is no line of the thread, and can be posted in
// it.
func TestAPrivateLineIsRecordedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	line := workflow.Line{Agent: "orchestrator", Text: "Only bea can approve here.", Vouched: []int{0}}
	private := store.PrivateLine{Key: "7", User: "U2", Name: "gus", Line: line}
	require.NoError(t, turn.Record(ctx, private))
	require.NoError(t, turn.Record(ctx, private), "once")
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from outbox where ephemeral_to <> ''`))
	require.Zero(t, storetest.CountRows(t, s, `select count(*) from lines where text like 'Only bea%'`))
	out := outbox.New(s.DB).Reactions()
	for {
		p, err := out.Next(ctx, turn.Session().ID)
		require.NoError(t, err)
		if p.EphemeralTo == "" {
			_, err := out.Posted(ctx, p.Key, p.OnTS)
			require.NoError(t, err)
			continue
		}
		require.Equal(t, []any{"U2", "gus", []workflow.Line{line}},
			[]any{p.EphemeralTo, p.EphemeralName, p.Lines})
		require.Equal(t, "[orchestrator] ◆ Only bea can approve here.", p.Ephemeral)
		break
	}
}
