package turn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A message whose author Slack does not tell is tried again, and is answered and set aside in the end.
// The rest of the session goes on.
func TestWhatCannotBeJudgedIsAnswered(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx := t.Context()
	id := o.reportedBy(o.asker, "anybody", "10.1")
	in := workflow.IncomingEvent{
		EventID: "Ev2",
		Kind:    workflow.MessageMention,
		Thread:  workflow.Thread{Team: "T1", Channel: o.channel, TS: "10.1"},
		TS:      "10.2",
		User:    "U0UNKNOWN",
		Text:    "stop",
	}
	require.NoError(t, inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, in))
	cause := o.Run(ctx, id)
	require.ErrorContains(t, cause, "user_not_found")
	require.NoError(t, o.GiveUp(ctx, id, cause))

	x, err := o.Store.Session(ctx, id)
	require.NoError(t, err)
	require.Equal(t, workflow.PhaseReported, x.Phase)
	said, err := o.Store.Lines(ctx, id)
	require.NoError(t, err)
	require.Contains(t, said[len(said)-1].Text, "Slack does not tell me who wrote it")
	var open int
	require.NoError(t,
		o.Store.Pool.QueryRow(ctx, `select count(*) from inbox where handled_at is null`).Scan(&open))
	require.Zero(t, open)
	require.NoError(t, o.Run(ctx, id), "and nothing is left to fail at")
}

// A message at which the program panics is set aside, too, so that it does not block the thread for ever.
func TestWhatPanicsIsSetAside(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx := t.Context()
	id := o.reportedBy(o.asker, "anybody", "10.1")
	in := workflow.IncomingEvent{
		EventID: "Ev2",
		Kind:    workflow.MessageMention,
		Thread:  workflow.Thread{Team: "T1", Channel: o.channel, TS: "10.1"},
		TS:      "10.2",
		User:    o.asker,
		Text:    "stop",
	}
	require.NoError(t, inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, in))
	slack := o.Slack
	o.Slack = nil // its use panics
	cause := queue.CatchPanic(func() error { return o.Run(ctx, id) })
	require.ErrorIs(t, cause, queue.ErrPanic)
	require.ErrorContains(t, cause, "judge.(*Judge).writer", "the stack says where")
	require.NoError(t, o.GiveUp(ctx, id, cause))

	said, err := o.Store.Lines(ctx, id)
	require.NoError(t, err)
	require.Contains(t, said[len(said)-1].Text, "something failed on my side (panic: runtime error: "+
		"invalid memory address or nil pointer dereference). Please write it in other words")
	o.Slack = slack
	in.EventID, in.TS = "Ev3", "10.3"
	require.NoError(t, inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, in))
	require.NoError(t, o.Run(ctx, id))
	x, err := o.Store.Session(ctx, id)
	require.NoError(t, err)
	require.Equal(t, workflow.PhaseStopped, x.Phase, "the next message is judged")
}

func TestWhatGoesOnInWords(t *testing.T) {
	t.Parallel()
	r := &Runner{Agents: agent.Table(map[string]agent.Setting{"deep": {Display: "smith"}})}
	for want, x := range map[string]store.SilentSession{
		"Still at work; nothing was said for 10 min. I wait for a free slot: " +
			"the limit of concurrent sessions is reached.": {For: 10 * time.Minute, WaitsForSlot: true},
		"Still at work; nothing was said for 2 h 5 min. Something failed on my side, " +
			"and I try again.": {For: 125 * time.Minute, Failing: true},
		"Still at work; nothing was said for 11 min. " +
			"The work is being built and tested.": {
			For:     11 * time.Minute,
			Session: workflow.Session{Phase: workflow.PhaseVerifying},
		},
		"Still at work; nothing was said for 12 min. Task 2 [smith] for 14 min: Round the cents up. " +
			"Running for 3 min: `go test './...'`. Running for 0 s: `ls`.": {
			For: 12 * time.Minute,
			Tasks: []store.SilentTask{{
				Number:      2,
				Category:    "deep",
				Description: "Round the\ncents up.",
				For:         14*time.Minute + 30*time.Second,
			}},
			Commands: []store.SilentCommand{{What: "go test `./...`", For: 3 * time.Minute}, {What: "ls"}},
		},
	} {
		require.Equal(t, want, r.silenceLine(x).Text)
	}
}
