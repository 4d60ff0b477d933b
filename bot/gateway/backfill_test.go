package gateway

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// away cuts all links, lets people write while none is up, and makes Slack forget those events.
func (o *gatewayOffice) away(links int, write func()) {
	o.T.Helper()
	o.Order(slacktest.Fault{Method: "apps.connections.open", Status: 503, Times: -1})
	o.Cut()
	require.NoError(o.T, o.WaitDisconnected(bottest.Soon(o.T)))
	write()
	o.Forget()
	o.ClearFaults()
	require.NoError(o.T, o.WaitConnected(bottest.Soon(o.T), links))
}

// TestWhatWasWrittenInAGapIsReadAgain checks that messages that were written while no link was up are read
// later, in known threads and in configured channels. The control has no History and loses them.
func TestWhatWasWrittenInAGapIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, filled := range []bool{true, false} {
		o := openGatewayOffice(t, slacktest.Config{})
		in := &bottest.Inbox{}
		other := o.AddChannel(slacktest.Channel{Name: "ops", Members: []string{o.Ada.ID, o.App().BotUser}})
		g := &Gateway{
			Inbox:      in,
			Listening:  Listening{Watch: []string{o.Bugs.ID}},
			Backfill:   Backfill{Channels: []string{o.Bugs.ID, other.ID}},
			Connecting: Connecting{Connections: 2},
		}
		if filled {
			g.History = in
		}
		o.run(g)
		root := o.AdaSays(o.Mention()+" it fails", "")
		o.AdaSays("for guests", root)
		o.Settle()
		require.Equal(t, []string{"it fails", "for guests"}, in.Texts())

		var fresh string
		o.away(2, func() {
			o.AdaSays("and for admins", root)
			fresh = o.AdaSays("the total is off", "")
			o.AdaSays("by a cent", fresh)
			_, err := o.Say("ops", o.Ada.ID, o.Mention()+" restarts", "")
			require.NoError(t, err)
			_, err = o.Say("ops", o.Ada.ID, "to nobody", "")
			require.NoError(t, err)
		})
		lost := []string{"and for admins", "the total is off", "by a cent", "restarts"}
		if filled {
			require.Eventually(t, func() bool { return len(in.Texts()) >= 6 }, time.Minute, time.Millisecond)
		}
		last := o.AdaSays("that is all", root) // arrives as an event as usual
		o.Settle()
		want := []string{"it fails", "for guests", "that is all"}
		if filled {
			want = append(want, lost...)
		}
		require.ElementsMatch(t, want, in.Texts())
		_, kept := in.Seen()
		for _, k := range kept {
			switch k.Text {
			case "restarts":
				require.Equal(t, workflow.MessageMention, k.Kind)
			case "the total is off":
				require.Equal(t, fresh, k.Thread.TS)
				require.Equal(t, workflow.MessageReply, k.Kind)
			case "and for admins", "that is all":
				require.Equal(t, o.ThreadOf(root), k.Thread)
				require.Equal(t, o.Ada.ID, k.User)
			}
		}
		require.NotEmpty(t, last)
		// A gap in which nothing was written adds no message, and no message is stored twice.
		o.away(2, func() {})
		o.AdaSays("twice?", root)
		o.Settle()
		require.ElementsMatch(t, append(want, "twice?"), in.Texts())
	}
}

// TestWhatWasEditedInAGapIsAnEdit checks that of a message that was edited in the gap only an edit is read,
// since nobody knows what it said first: not what begins a session, and not a stop.
func TestWhatWasEditedInAGapIsAnEdit(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	watched := o.AddChannel(slacktest.Channel{Name: "watched", Members: []string{o.Ada.ID, o.App().BotUser}})
	o.run(&Gateway{
		Inbox:     in,
		Listening: Listening{Watch: []string{watched.ID}},
		Backfill:  Backfill{History: in, Channels: []string{o.Bugs.ID, watched.ID}},
	})
	root := o.AdaSays(o.Mention()+" it fails", "")
	o.Settle()
	o.away(1, func() {
		for _, edited := range []string{"fix it", o.Mention() + " go on", "stop"} {
			require.NoError(t, o.Edit("bugs", o.AdaSays("what about coupons?", root), edited))
		}
		require.NoError(t,
			o.Edit("bugs", o.AdaSays(o.Mention()+" the total", ""), o.Mention()+" the total is off"))
		ts, err := o.Say("watched", o.Ada.ID, "add coupons?", "")
		require.NoError(t, err)
		require.NoError(t, o.Edit("watched", ts, "add coupons"))
		o.AdaSays("as it was", root)
	})
	read := func() (all []string) {
		_, kept := in.Seen()
		for _, k := range kept {
			switch k.Kind {
			case workflow.MessageEdit:
				require.Equal(t, workflow.ReadAgain, k.ActionID)
			case workflow.MessageSent:
				require.Contains(t, k.EventID, string(workflow.ReadAgain)+":",
					"by this the inbox knows that it was edited before it was read")
			}
			all = append(all, string(k.Kind)+" "+k.Text)
		}
		return all
	}
	want := []string{
		"mention it fails", "edit fix it", "edit go on", "sent go on", "reply stop", "edit stop",
		"edit the total is off", "sent the total is off",
		"reply add coupons", "edit add coupons", "reply as it was",
	}
	require.Eventually(t, func() bool { return len(in.Texts()) >= len(want) }, time.Minute, time.Millisecond)
	require.ElementsMatch(t, want, read())
}

// TestAGapThatIsNoticedLateIsRead checks that a gap is found although the first of two dead links is up again
// when the second is found dead. In the control the links end an hour apart, and there is no gap.
func TestAGapThatIsNoticedLateIsRead(t *testing.T) {
	t.Parallel()
	for _, together := range []bool{true, false} {
		in := &bottest.Inbox{}
		root := workflow.IncomingEvent{
			EventID: "Ev0",
			Kind:    workflow.MessageMention,
			Thread:  workflow.Thread{TS: "1000.000001"},
			TS:      "1000.000001",
			Text:    "it fails",
		}
		require.NoError(t, in.Receive(t.Context(), root))
		g := &Gateway{Backfill: Backfill{History: in}, Connecting: Connecting{Connections: 2}}
		g.gaps.filled = make(chan time.Time, 1)
		first := &link{Gateway: g}
		second := &link{Gateway: g}
		for _, l := range []*link{first, second} {
			l.setUp(t.Context(), true)
		}
		first.setUp(t.Context(), false)
		first.setUp(t.Context(), true)
		if !together {
			g.gaps.ended = g.gaps.ended.Add(-time.Hour)
		}
		require.Empty(t, g.gaps.filled)
		// A message that arrives over the first link meanwhile does not move the beginning of the gap.
		later := root
		later.EventID, later.TS = "Ev1", "2000.000001"
		require.NoError(t, in.Receive(t.Context(), later))
		second.setUp(t.Context(), false)
		second.setUp(t.Context(), true)
		if !together {
			require.Empty(t, g.gaps.filled)
			continue
		}
		require.Equal(t, int64(1000), (<-g.gaps.filled).Unix())
	}
}

// TestTheTimeBeforeTheStartIsAGap checks that messages from before the start are read, but only if the
// History holds an earlier message.
func TestTheTimeBeforeTheStartIsAGap(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		o := openGatewayOffice(t, slacktest.Config{})
		in := &bottest.Inbox{}
		root := o.AdaSays(o.Mention()+" it fails", "")
		if known {
			require.NoError(t, in.Receive(t.Context(), workflow.IncomingEvent{
				EventID: "Ev0",
				Kind:    workflow.MessageMention,
				Thread:  o.ThreadOf(root),
				TS:      root,
				User:    o.Ada.ID,
				Text:    "it fails",
			}))
		}
		o.AdaSays("while nobody listened", root)
		o.Forget()
		o.run(&Gateway{Inbox: in, Backfill: Backfill{History: in, Channels: []string{o.Bugs.ID}}})
		o.AdaSays("now", root)
		o.Settle()
		if !known {
			require.Equal(t, []string{"now"}, in.Texts(), "a bot that is new does not take up what is old")
			continue
		}
		require.Eventually(t, func() bool { return len(in.Texts()) == 3 }, time.Minute, time.Millisecond)
		require.ElementsMatch(t, []string{"it fails", "while nobody listened", "now"}, in.Texts())
	}
}

// faultyLedger fails the first call of one of its functions.
type faultyLedger struct {
	History
	newest, threads error
}

func (f *faultyLedger) Newest(ctx context.Context) (string, error) {
	if err := f.newest; err != nil {
		f.newest = nil
		return "", err
	}
	return f.History.Newest(ctx)
}

func (f *faultyLedger) Threads(ctx context.Context, since time.Time, most int) ([]workflow.Thread, error) {
	if err := f.threads; err != nil {
		f.threads = nil
		return nil, err
	}
	return f.History.Threads(ctx, since, most)
}

// TestAGapIsReadUntilItIsRead checks that nothing of a gap is lost when something
// fails once while it is read.
func TestAGapIsReadUntilItIsRead(t *testing.T) {
	t.Parallel()
	away := errors.New("the database is away")
	for name, c := range map[string]struct {
		fault           slacktest.Fault
		newest, threads error
		inbox           string // text of the message that cannot be kept at first
	}{
		"Slack fails to list replies": {
			fault: slacktest.Fault{Method: "conversations.replies", Status: 503},
		},
		"Slack fails to list messages": {
			fault: slacktest.Fault{Method: "conversations.history", Error: "internal_error"},
		},
		"the network fails": {
			fault: slacktest.Fault{Method: "conversations.replies", LoseAnswer: true},
		},
		"the beginning cannot be read":       {newest: away},
		"nor for long":                       {newest: backoff.Permanent(away)}, // ends the tries at once
		"the threads cannot be read":         {threads: away},
		"a reply cannot be kept":             {inbox: "while nobody listened"},
		"a channel's message cannot be kept": {inbox: "the total is off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openGatewayOffice(t, slacktest.Config{})
			in := &bottest.Inbox{}
			ops := o.AddChannel(slacktest.Channel{Name: "ops", Members: []string{o.Ada.ID, o.App().BotUser}})
			say := func(text, thread string) string {
				ts, err := o.Say("ops", o.Ada.ID, text, thread)
				require.NoError(t, err)
				return ts
			}
			root := say(o.Mention()+" it fails", "")
			thread := o.ThreadOf(root)
			thread.Channel = ops.ID
			require.NoError(t, in.Receive(t.Context(), workflow.IncomingEvent{
				EventID: "Ev0",
				Kind:    workflow.MessageMention,
				Thread:  thread,
				TS:      root,
				User:    o.Ada.ID,
				Text:    "it fails",
			}))
			say("while nobody listened", root)
			o.AdaSays(o.Mention()+" the total is off", "")
			o.Forget()
			if c.fault.Method != "" {
				o.Order(c.fault)
			}
			in.Before = func(e workflow.IncomingEvent) error {
				if e.Text == c.inbox {
					c.inbox = "nothing more"
					return away
				}
				return nil
			}
			o.run(&Gateway{
				Inbox: in,
				Backfill: Backfill{
					History:  &faultyLedger{in, c.newest, c.threads},
					Channels: []string{o.Bugs.ID},
				},
			})
			require.Eventually(t, func() bool { return len(in.Texts()) == 3 }, time.Minute, time.Millisecond)
			require.ElementsMatch(t,
				[]string{"it fails", "while nobody listened", "the total is off"}, in.Texts())
		})
	}
}

// TestWhatSlackNoLongerDeliversIsReadAgain checks that a message that could not be kept at any of Slack's
// four attempts is read from its thread later. The control has no History and loses it.
func TestWhatSlackNoLongerDeliversIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, filled := range []bool{true, false} {
		o := openGatewayOffice(t, slacktest.Config{Retries: []time.Duration{0, 0, 0}})
		var away atomic.Bool
		var tries atomic.Int32
		in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
			if !away.Load() {
				return nil
			}
			tries.Add(1)
			return errors.New("the database is away")
		}}
		g := &Gateway{Inbox: in}
		if filled {
			g.History = in
		}
		o.run(g)
		root := o.AdaSays(o.Mention()+" it fails", "")
		o.Settle()
		away.Store(true)
		o.AdaSays("by a cent", root)
		for attempt := range int32(4) {
			require.Empty(t, o.Requests("conversations.replies"), "Slack will deliver it again")
			require.Eventually(t, func() bool { return tries.Load() > attempt }, time.Minute,
				time.Millisecond)
			o.ExpireAcks()
		}
		away.Store(false)
		if filled {
			require.Eventually(t, func() bool { return len(in.Texts()) == 2 }, time.Minute, time.Millisecond)
		}
		o.AdaSays("that is all", root)
		o.Settle()
		want := []string{"it fails", "that is all"}
		if filled {
			want = append(want, "by a cent")
		}
		require.ElementsMatch(t, want, in.Texts())
	}
}

func TestAGapIsReadWithinBounds(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	g := &Gateway{Slack: o.Bot, Inbox: in, StoreTimeout: time.Minute, Backfill: Backfill{History: in}}
	root := o.AdaSays("it fails", "")
	for range gapPages*gapPage + 50 {
		o.AdaSays("again", root)
	}
	f := &filling{
		g:      g,
		reader: event.Reader{Self: o.Bot.Self()},
		oldest: event.FormatTS(time.Now().Add(-maxGap)),
	}
	f.readThread(t.Context(), o.ThreadOf(root))
	require.Len(t, o.Requests("conversations.replies"), gapPages)
	_, kept := in.Seen()
	require.LessOrEqual(t, len(kept), gapPages*gapPage)
	require.Greater(t, len(kept), (gapPages-1)*gapPage)
	// Channels that are gone or may not be read are skipped.
	require.True(t, f.readThread(t.Context(), workflow.Thread{Team: "T", Channel: "C0NOWHERE", TS: "1.1"}))
	require.True(t, f.readChannel(t.Context(), "C0NOWHERE"))
	require.Empty(t, f.threads)
}

// TestAMentionInAnOlderThreadIsRead checks that a thread that began before the gap, and has no session, is
// read if it has new replies.
func TestAMentionInAnOlderThreadIsRead(t *testing.T) {
	t.Parallel()
	var ago atomic.Int64
	o := openGatewayOffice(t, slacktest.Config{
		Now: func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) },
	})
	in := &bottest.Inbox{}
	ago.Store(int64(rootsBefore - time.Hour))
	root := o.AdaSays("who has seen this?", "")
	other := o.AdaSays("lunch?", "")
	o.AdaSays("by a cent", root)
	o.AdaSays("at noon", other)
	ago.Store(0)
	o.AdaSays(o.Mention()+" it fails", root)
	f := (&Gateway{
		Slack:        o.Bot,
		Inbox:        in,
		StoreTimeout: time.Minute,
		Backfill:     Backfill{History: in, Channels: []string{o.Bugs.ID}},
	}).newFilling(time.Now())
	require.True(t, f.try(t.Context()))
	require.Equal(t, []string{"it fails"}, in.Texts())
	require.Len(t, o.Requests("conversations.replies"), 1, "nothing is new in the other thread")
}

// TestLinksAreNotRenewedTogether checks that the second of two links that were opened together is renewed
// early, while the first is up. In the control no link ends early.
func TestLinksAreNotRenewedTogether(t *testing.T) {
	t.Parallel()
	life := slacktest.Config{ConnectionTime: 2 * time.Second}
	control := openGatewayOffice(t, life)
	apart := openGatewayOffice(t, life)
	control.run(&Gateway{Inbox: &bottest.Inbox{}, together: true, Connecting: Connecting{Connections: 2}})
	in := &bottest.Inbox{}
	g := apart.run(&Gateway{Inbox: in, Connecting: Connecting{Connections: 2}})
	ended, err := apart.WaitEnded(bottest.Soon(t),
		func(list []slacktest.EndedLink) bool { return len(list) > 0 })
	require.NoError(t, err)
	require.Equal(t, "", ended[0].Told, "it left by itself")
	require.Positive(t, ended[0].Beside, "while the other was up")
	require.Empty(t, control.Ended())
	require.NoError(t, apart.WaitConnected(bottest.Soon(t), 2))
	require.Eventually(t, func() bool { return g.Links() == 2 }, time.Minute, time.Millisecond)
	root := apart.AdaSays(apart.Mention()+" it fails", "")
	said := apart.numbered(root, 5)
	apart.Settle()
	require.ElementsMatch(t, append(said, "it fails"), in.Texts())
	require.Len(t, apart.Ended(), 1, "once is enough")
}
