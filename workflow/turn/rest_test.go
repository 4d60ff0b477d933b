package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// A question to an agent that only reads leaves the session closed, so nothing but its inquiry wakes a turn. A
// run that ends must therefore neither overlook a question that was judged just before, nor judge one after.
func TestAQuestionAtTheEndOfARunIsNotLost(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	begin := func(ts string) *thread {
		th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: ts}, o.asker, "anybody")
		require.NoError(t, err)
		require.NoError(t, th.Record(t.Context(), store.Update{Open: ledger.Rest}))
		return th
	}
	question := func(th *thread) {
		require.NoError(t, th.receive(t.Context(), incoming.Event{Kind: incoming.Reply, TS: th.tick(), User: o.asker, Text: "ask the consultant: is it the proxy?"}))
	}
	unjudged := func(th *thread) int {
		waiting, err := th.Inbox().Unhandled(t.Context())
		require.NoError(t, err)
		return len(waiting)
	}

	before := begin("1.0")
	question(before)
	require.NoError(t, before.judgeMeanwhile(t.Context()))
	require.Zero(t, unjudged(before))
	require.False(t, before.Session().Open)
	rests, err := before.rest(t.Context())
	require.NoError(t, err)
	require.False(t, rests, "an inquiry that nobody began is there")

	after := begin("2.0")
	rests, err = after.rest(t.Context())
	require.NoError(t, err)
	require.True(t, rests)
	question(after)
	require.NoError(t, after.judgeMeanwhile(t.Context()))
	require.Equal(t, 1, unjudged(after), "the next run judges it")
}
