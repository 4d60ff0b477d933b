package store

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
	"github.com/stretchr/testify/require"
)

// openedWithin is a store of this package's own tests.
func openedWithin(t *testing.T) *Store {
	t.Helper()
	url := postgrestest.Database(t, func(ctx context.Context, url string) error {
		s, err := Open(ctx, url, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Migrate(ctx)
	})
	s, err := Open(t.Context(), url, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// seenAt says whether a message in a busy thread, whose lines Slack does not take, is marked
// as seen at once.
func seenAt(t *testing.T, inOrder bool) bool {
	ctx, s := t.Context(), openedWithin(t)
	s.inOrder = inOrder
	thread := workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}
	require.NoError(t, s.Receive(ctx, workflow.Incoming{EventID: "Ev1", Kind: workflow.IncomingMention, Thread: thread, TS: "1.0", User: "U1", Text: "it fails"}))
	list, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	id := list[0].ID
	first, err := s.Reactions().Next(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "1.0", first.OnTS)
	_, err = s.Reactions().Posted(ctx, first.Key, "1.0")
	require.NoError(t, err)

	turn, err := s.Begin(ctx, id)
	require.NoError(t, err)
	for n := range 50 {
		require.NoError(t, turn.Record(ctx, Replies{{Agent: "deep", Text: fmt.Sprint("line ", n)}}))
	}
	line, err := s.Next(ctx, id) // and Slack asks to wait
	require.NoError(t, err)
	require.Equal(t, "[deep] line 0", line.Text())
	require.NoError(t, s.Receive(ctx, workflow.Incoming{EventID: "Ev2", Kind: workflow.IncomingReply, Thread: thread, TS: "2.0", User: "U1", Text: "stop"}))
	p, err := s.Reactions().Next(ctx, id)
	require.NoError(t, err)
	return p != nil && p.Reaction == "eyes" && p.OnTS == "2.0"
}

func TestAReactionDoesNotWaitForLines(t *testing.T) {
	t.Parallel()
	require.True(t, seenAt(t, false))
}

// Without the guard the test above finds out.
func TestAReactionBehindLinesIsFoundOut(t *testing.T) {
	t.Parallel()
	require.False(t, seenAt(t, true))
}
