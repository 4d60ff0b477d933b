package outbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// seenAt reports whether a message gets its reaction at once
// in a busy thread, whose lines Slack does not take.
func seenAt(t *testing.T, inOrder bool) bool {
	ctx, s := t.Context(), storetest.Open(t)
	out := outbox.New(s.DB)
	out.KeepOrder(inOrder)
	require.NoError(t, storetest.Inbox(s).Receive(ctx, incoming.Event{EventID: "Ev1", Kind: incoming.Mention, Thread: storetest.Thread, TS: "1.0", User: "U1", Text: "it fails"}))
	list, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	id := list[0].ID
	first, err := out.Reactions().Next(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "1.0", first.OnTS)
	_, err = out.Reactions().Posted(ctx, first.Key, "1.0")
	require.NoError(t, err)

	turn, err := s.Begin(ctx, id)
	require.NoError(t, err)
	for n := range 50 {
		require.NoError(t, turn.Record(ctx, store.Replies{{Agent: "deep", Text: fmt.Sprint("line ", n)}}))
	}
	line, err := out.Next(ctx, id) // and Slack asks to wait
	require.NoError(t, err)
	require.Equal(t, "[deep] line 0", line.Text())
	require.NoError(t, storetest.Inbox(s).Receive(ctx, incoming.Event{EventID: "Ev2", Kind: incoming.Reply, Thread: storetest.Thread, TS: "2.0", User: "U1", Text: "stop"}))
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
