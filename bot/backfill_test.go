package bot

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// Newest and Threads make the inbox a Ledger of what it has kept.
func (b *inbox) Newest(context.Context) (newest string, _ error) {
	_, kept := b.seen()
	for _, in := range kept {
		newest = max(newest, in.TS)
	}
	return newest, nil
}

func (b *inbox) Threads(context.Context, time.Time, int) (threads []workflow.Thread, _ error) {
	_, kept := b.seen()
	for _, in := range kept {
		if !slices.Contains(threads, in.Thread) {
			threads = append(threads, in.Thread)
		}
	}
	return threads, nil
}

// away cuts the links, has people write while none is up, and lets Slack forget all of it.
func (o *office) away(links int, write func()) {
	o.t.Helper()
	o.Order(slacktest.Fault{Method: "apps.connections.open", Status: 503, Times: -1})
	o.Cut()
	require.Eventually(o.t, func() bool { return o.Connections() == 0 }, time.Minute, time.Millisecond)
	write()
	o.Forget()
	o.ClearFaults()
	require.NoError(o.t, o.WaitConnected(soon(o.t), links))
}

// What was written while no link was up is read again: in threads that are known, and in
// the channels that are named. The control has no ledger, and loses it.
func TestWhatWasWrittenInAGapIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, filled := range []bool{true, false} {
		o, in := openOffice(t, slacktest.Config{}), &inbox{}
		other := o.AddChannel(slacktest.Channel{Name: "ops", Members: []string{o.ada.ID, o.App().BotUser}})
		g := &Gateway{Inbox: in, Connections: 2, Watch: []string{o.bugs.ID}, Channels: []string{o.bugs.ID, other.ID}}
		if filled {
			g.Ledger = in
		}
		o.run(g)
		root := o.say(o.Mention()+" it fails", "")
		o.say("for guests", root)
		o.settled()
		require.Equal(t, []string{"it fails", "for guests"}, in.texts())

		var fresh string
		o.away(2, func() {
			o.say("and for admins", root)
			fresh = o.say("the total is off", "")
			o.say("by a cent", fresh)
			_, err := o.Say("ops", o.ada.ID, o.Mention()+" restarts", "")
			require.NoError(t, err)
			_, err = o.Say("ops", o.ada.ID, "to nobody", "")
			require.NoError(t, err)
		})
		lost := []string{"and for admins", "the total is off", "by a cent", "restarts"}
		if filled {
			require.Eventually(t, func() bool { return len(in.texts()) >= 6 }, time.Minute, time.Millisecond)
		}
		last := o.say("that is all", root) // comes as ever
		o.settled()
		want := []string{"it fails", "for guests", "that is all"}
		if filled {
			want = append(want, lost...)
		}
		require.ElementsMatch(t, want, in.texts())
		_, kept := in.seen()
		for _, k := range kept {
			switch k.Text {
			case "restarts":
				require.Equal(t, workflow.IncomingMention, k.Kind)
			case "the total is off":
				require.Equal(t, fresh, k.Thread.TS)
				require.Equal(t, workflow.IncomingReply, k.Kind)
			case "and for admins", "that is all":
				require.Equal(t, o.thread(root), k.Thread)
				require.Equal(t, o.ada.ID, k.User)
			}
		}
		require.NotEmpty(t, last)
		// A gap in which nothing was written brings nothing, and nothing twice.
		o.away(2, func() {})
		o.say("twice?", root)
		o.settled()
		require.ElementsMatch(t, append(want, "twice?"), in.texts())
	}
}

// A link that is dead counts as up until that is noticed. One that ended with it, and is back
// before that, must not hide that there was none. The control is a link that ends alone.
func TestAGapThatIsNoticedLateIsRead(t *testing.T) {
	t.Parallel()
	for _, together := range []bool{true, false} {
		in := &inbox{}
		root := workflow.Incoming{EventID: "Ev0", Kind: workflow.IncomingMention, Thread: workflow.Thread{TS: "1000.000001"}, TS: "1000.000001", Text: "it fails"}
		require.NoError(t, in.Receive(t.Context(), root))
		g := &Gateway{Ledger: in, Connections: 2}
		g.gaps.filled = make(chan time.Time, 1)
		first, second := &link{Gateway: g}, &link{Gateway: g}
		for _, l := range []*link{first, second} {
			l.set(t.Context(), true)
		}
		first.set(t.Context(), false)
		first.set(t.Context(), true)
		if !together {
			g.gaps.ended = g.gaps.ended.Add(-time.Hour)
		}
		require.Empty(t, g.gaps.filled)
		// What is heard meanwhile, over the one that is back, moves its beginning no further.
		later := root
		later.EventID, later.TS = "Ev1", "2000.000001"
		require.NoError(t, in.Receive(t.Context(), later))
		second.set(t.Context(), false)
		second.set(t.Context(), true)
		if !together {
			require.Empty(t, g.gaps.filled)
			continue
		}
		require.Equal(t, int64(1000), (<-g.gaps.filled).Unix())
	}
}

// The time before the start is a gap as well; without anything heard before it, there is none.
func TestTheTimeBeforeTheStartIsAGap(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		o, in := openOffice(t, slacktest.Config{}), &inbox{}
		root := o.say(o.Mention()+" it fails", "")
		if known {
			require.NoError(t, in.Receive(t.Context(), workflow.Incoming{EventID: "Ev0", Kind: workflow.IncomingMention, Thread: o.thread(root), TS: root, User: o.ada.ID, Text: "it fails"}))
		}
		o.say("while nobody listened", root)
		o.Forget()
		o.run(&Gateway{Inbox: in, Ledger: in, Channels: []string{o.bugs.ID}})
		o.say("now", root)
		o.settled()
		if !known {
			require.Equal(t, []string{"now"}, in.texts(), "a bot that is new does not take up what is old")
			continue
		}
		require.Eventually(t, func() bool { return len(in.texts()) == 3 }, time.Minute, time.Millisecond)
		require.ElementsMatch(t, []string{"it fails", "while nobody listened", "now"}, in.texts())
	}
}

func TestAGapIsReadWithinBounds(t *testing.T) {
	t.Parallel()
	o, in := openOffice(t, slacktest.Config{}), &inbox{}
	g := &Gateway{Slack: o.bot, Inbox: in, Ledger: in, Patience: time.Second}
	root := o.say("it fails", "")
	for range gapPages*gapPage + 50 {
		o.say("again", root)
	}
	f := &filling{g: g, reader: Reader{Self: o.bot.self}, oldest: stamp(time.Now().Add(-gapMost))}
	f.thread(t.Context(), o.thread(root))
	require.Len(t, o.Requests("conversations.replies"), gapPages)
	_, kept := in.seen()
	require.LessOrEqual(t, len(kept), gapPages*gapPage)
	require.Greater(t, len(kept), (gapPages-1)*gapPage)
	// What is gone, or not ours to read, is passed over.
	f.thread(t.Context(), workflow.Thread{Team: "T", Channel: "C0NOWHERE", TS: "1.1"})
	require.Empty(t, f.channel(t.Context(), "C0NOWHERE"))
}

// Links that were opened together would be renewed together. The second is renewed ahead
// of that, while the first is up; in the control, which began earlier, it is not.
func TestLinksAreNotRenewedTogether(t *testing.T) {
	t.Parallel()
	life := slacktest.Config{ConnectionTime: 2 * time.Second}
	control, apart := openOffice(t, life), openOffice(t, life)
	control.run(&Gateway{Inbox: &inbox{}, Connections: 2, together: true})
	in := &inbox{}
	g := apart.run(&Gateway{Inbox: in, Connections: 2})
	ended, err := apart.WaitEnded(soon(t), func(list []slacktest.EndedLink) bool { return len(list) > 0 })
	require.NoError(t, err)
	require.Equal(t, "", ended[0].Told, "it left by itself")
	require.Equal(t, 1, ended[0].Beside, "while the other was up")
	require.Empty(t, control.Ended())
	require.NoError(t, apart.WaitConnected(soon(t), 2))
	require.Eventually(t, func() bool { return g.Links() == 2 }, time.Minute, time.Millisecond)
	root := apart.say(apart.Mention()+" it fails", "")
	said := apart.numbered(root, 5)
	apart.settled()
	require.ElementsMatch(t, append(said, "it fails"), in.texts())
	require.Len(t, apart.Ended(), 1, "once is enough")
}
