package gateway

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

func TestAMentionArrivesTwiceAndCountsOnce(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	ts := o.AdaSays(o.Mention()+" the total is a cent off &amp; wrong", "")
	o.AdaSays("for guests too", ts)
	o.Settle()
	calls, kept := in.Seen()
	require.Len(t, calls, 3)
	require.NotEqual(t, calls[0].EventID, calls[1].EventID)
	require.Len(t, kept, 2)
	require.Equal(t, workflow.MessageMention, kept[0].Kind)
	require.Equal(t, "the total is a cent off & wrong", kept[0].Text)
	require.Equal(t, o.ThreadOf(ts), kept[0].Thread)
	require.Equal(t, o.Ada.ID, kept[0].User)
	require.Equal(t, o.App().TeamID, kept[0].UserTeam)
	require.WithinDuration(t, time.Now(), kept[0].At, time.Minute)
	require.Equal(t, workflow.MessageReply, kept[1].Kind)
	require.Equal(t, o.ThreadOf(ts), kept[1].Thread)
}

func TestWhatIsNotForUsIsAcknowledgedAndDropped(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	hook := o.AddBot(slacktest.User{Name: "hook", Hook: true})
	o.run(&Gateway{Inbox: in})

	ts := o.AdaSays("nobody asked", "")
	_, err := o.SayAsBot("bugs", hook.BotID, "fix it", ts)
	require.NoError(t, err)
	require.NoError(t, o.React("bugs", ts, o.Ada.ID, "eyes"))
	require.NoError(t, o.Unfurl("bugs", ts, "https://example.com", "", ""))
	require.NoError(t, o.ChangeGroup(o.AddGroup(slacktest.UserGroup{Handle: "devs"}).ID, []string{o.Ada.ID}))
	require.NoError(t, o.OpenHome(o.Ada.ID))
	require.NoError(t, o.Command("bugs", o.Ada.ID, "/bobbin", "x"))
	require.NoError(t, o.Shortcut("bugs", ts, "send", o.Ada.ID))
	p := &poster.Poster{Slack: o.Bot, Outbox: (&bottest.Outbox{}).Put(o.Posting("k1", ts, "looking"))}
	require.NoError(t, p.Drain(t.Context(), "s"))
	o.Settle()

	calls, _ := in.Seen()
	require.Empty(t, calls)
	deliveries := o.Deliveries()
	require.Greater(t, len(deliveries), 6)
	for _, d := range deliveries {
		require.Equal(t, slacktest.Acked, d.Outcome, d.EventType)
		require.Zero(t, d.Attempt, d.EventType)
	}
}

func TestWatchedChannelsAndDirectMessagesNeedNoMention(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in, Listening: Listening{Watch: []string{o.Bugs.ID}}})
	ts := o.AdaSays("the total is off", "")
	im, err := o.OpenIM(o.Ben.ID)
	require.NoError(t, err)
	_, err = o.Say(im.ID, o.Ben.ID, "hello", "")
	require.NoError(t, err)
	o.Settle()
	_, kept := in.Seen()
	require.Len(t, kept, 2)
	require.Equal(t, workflow.MessageReply, kept[0].Kind)
	require.Equal(t, ts, kept[0].Thread.TS)
	require.Equal(t, workflow.MessageMention, kept[1].Kind)
	require.Equal(t, im.ID, kept[1].Thread.Channel)
}

func TestEditsAndDeletions(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	root := o.AdaSays(o.Mention()+" it fails", "")
	reply := o.AdaSays("for guests", root)
	require.NoError(t, o.Edit("bugs", reply, "fix it"))
	require.NoError(t, o.Edit("bugs", root, o.Mention()+" it fails on Mondays"))
	require.NoError(t, o.Delete("bugs", root)) // leaves a tombstone
	require.NoError(t, o.Delete("bugs", reply))
	o.Settle()
	_, kept := in.Seen()
	var got []string
	for _, k := range kept {
		require.Equal(t, o.ThreadOf(root), k.Thread)
		got = append(got,
			string(k.Kind)+" "+map[string]string{root: "root", reply: "reply"}[k.TS]+": "+k.Text)
	}
	require.Equal(t, []string{
		"mention root: it fails", "reply reply: for guests", "edit reply: fix it",
		"edit root: it fails on Mondays", "sent root: it fails on Mondays", "delete root: ",
		"delete reply: ",
	}, got[:7])
}

func TestAckFollowsTheCommit(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	commit := make(chan struct{})
	entered := make(chan struct{}, 10)
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		entered <- struct{}{}
		<-commit
		return nil
	}}
	o.run(&Gateway{Inbox: in})
	o.AdaSays(o.Mention()+" hello", "")
	<-entered
	for _, d := range o.Deliveries() {
		require.Equal(t, slacktest.Pending, d.Outcome)
	}
	close(commit)
	o.Settle()
	for _, d := range o.Deliveries() {
		require.Equal(t, slacktest.Acked, d.Outcome)
	}
}

func TestAFailedCommitIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{AckTimeout: 200 * time.Millisecond, Retries: untilAcked})
	var calls atomic.Int32
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		if calls.Add(1) <= 2 {
			return errors.New("the database is away")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in})
	ts := o.AdaSays("first", "")
	o.AdaSays("for guests too", ts)
	o.Settle()
	require.Equal(t, []string{"for guests too"}, in.Texts())
	last := o.Deliveries()
	require.GreaterOrEqual(t, last[len(last)-1].Attempt, 2) // more if an acknowledgement was late
	require.Equal(t, slacktest.Acked, last[len(last)-1].Outcome)
}

// TestAPressOutlivesAShortOutage checks that a press survives a short outage of the database. Slack
// delivers a press only once.
func TestAPressOutlivesAShortOutage(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	var calls atomic.Int32
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		if calls.Add(1) <= 3 {
			return errors.New("the database is away")
		}
		return nil
	}}
	root := o.AdaSays("it fails", "")
	posting := o.Posting("k1", root, "which one?")
	posting.Lines[0].Buttons = []workflow.Button{
		{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "id-1", Style: "primary"},
		{ActionID: workflow.ButtonOption, Label: "this", Value: "id-2"},
		{ActionID: workflow.ButtonOption, Label: "that", Value: "id-3"},
	}
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(t, (&poster.Poster{Slack: o.Bot, Outbox: out}).Drain(t.Context(), "s"))
	o.run(&Gateway{Inbox: in, StoreTimeout: time.Minute})
	require.NoError(t, o.Click("bugs", out.ByKey["k1"], "option#2", o.Ben.ID))
	o.Settle()
	_, kept := in.Seen()
	require.Len(t, kept, 1)
	require.Equal(t, workflow.MessageAction, kept[0].Kind)
	require.Equal(t, workflow.ButtonOption, kept[0].ActionID)
	require.Equal(t, "id-3", kept[0].Value)
	require.Equal(t, o.Ben.ID, kept[0].User)
	require.Equal(t, o.ThreadOf(root), kept[0].Thread)
	require.Equal(t, out.ByKey["k1"], kept[0].TS)
}

func TestRedeliveriesAreOneEffect(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{
		AckTimeout: 50 * time.Millisecond,
		Retries:    []time.Duration{0, 0, 0},
	})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	o.DropAcks(2) // two acknowledgements are lost, so stored events are delivered again
	ts := o.AdaSays(o.Mention()+" it fails", "")
	o.Settle()
	for range 3 {
		for _, id := range eventIDs(o) {
			require.NoError(t, o.Redeliver(id))
		}
	}
	o.Settle()
	require.GreaterOrEqual(t, len(o.Deliveries()), 10)
	calls, kept := in.Seen() // one call may store several events
	require.Greater(t, len(calls), 1)
	require.Len(t, kept, 1)
	require.Equal(t, ts, kept[0].TS)
}

func eventIDs(o *gatewayOffice) []string {
	seen := map[string]bool{}
	var ids []string
	for _, d := range o.Deliveries() {
		if d.EventID != "" && !seen[d.EventID] {
			seen[d.EventID] = true
			ids = append(ids, d.EventID)
		}
	}
	return ids
}

func TestNothingIsLostWhenLinksEnd(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1, 2} {
		o := openGatewayOffice(t, slacktest.Config{
			DisconnectGrace: 50 * time.Millisecond,
			AckTimeout:      200 * time.Millisecond,
			Retries:         untilAcked,
		})
		in := &bottest.Inbox{}
		g := o.run(&Gateway{Inbox: in, Connecting: Connecting{Connections: connections}})
		root := o.AdaSays("it fails", "")
		var said []string
		for _, end := range []func(){
			func() { o.Disconnect("refresh_requested") }, func() { o.Disconnect("warning") },
			func() { o.Disconnect("link_disabled") }, o.Cut,
		} {
			end()
			said = append(said, o.numbered(root, 5)...)
			require.NoError(t, o.WaitConnected(bottest.Soon(t), connections))
			o.Settle()
		}
		require.ElementsMatch(t, said, in.Texts())
		require.Eventually(t, func() bool { return g.Links() == connections }, time.Minute, time.Millisecond)
	}
}

func (o *gatewayOffice) numbered(root string, n int) (said []string) {
	for range n {
		said = append(said, o.AdaSays("reply number "+o.now(), root))
	}
	for i, ts := range said {
		for _, m := range o.Thread("bugs", root) {
			if m.TS == ts {
				said[i] = m.Text
			}
		}
	}
	return said
}

func (o *gatewayOffice) now() string { return time.Now().Format(time.RFC3339Nano) }

// TestTooManyConnectionsAreNoStorm checks that the limiter spaces out the calls of a connection that Slack
// tells to disconnect at once, again and again.
func TestTooManyConnectionsAreNoStorm(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{MaxConnections: 1})
	g := &Gateway{
		Inbox:      &bottest.Inbox{},
		Connecting: Connecting{Apart: 30 * time.Millisecond, MostApart: time.Second, Connections: 1},
	}
	o.run(g)
	second := &Gateway{
		Slack:      o.Bot,
		Inbox:      &bottest.Inbox{},
		Connecting: Connecting{Apart: 100 * time.Millisecond, MostApart: time.Second},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- second.Run(ctx) }()
	opened := func() []slacktest.Request { return o.Requests("apps.connections.open")[1:] }
	require.Eventually(t, func() bool { return len(opened()) >= 5 }, time.Minute, 5*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	// The fifth call comes after all four waits, 100 to 800 ms. Each call may arrive late, so the distance of
	// two says nothing; TestReconnectsAreSpacedOut checks the exact waits.
	require.GreaterOrEqual(t, opened()[4].At.Sub(began), 1500*time.Millisecond)
	require.Equal(t, 1, g.Links())
}

// The control of the test above: without the limiter there is a storm of calls.
func TestControlTooManyConnectionsStorm(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{MaxConnections: 1})
	o.run(&Gateway{Inbox: &bottest.Inbox{}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- (&Gateway{
			Slack:      o.Bot,
			Inbox:      &bottest.Inbox{},
			Connecting: Connecting{Apart: 1, MostApart: 1},
		}).Run(ctx)
	}()
	require.Eventually(t, func() bool { return len(o.Requests("apps.connections.open")) > 50 }, time.Minute,
		time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
}

func TestRefusalsEndWithTheCure(t *testing.T) {
	t.Parallel()
	for code, cure := range map[string]string{
		"invalid_auth":           "SLACK_APP_TOKEN is not valid",
		"token_revoked":          "install the app again",
		"not_allowed_token_type": "SLACK_APP_TOKEN holds a token of the wrong kind",
		"missing_scope":          "lacks a scope",
	} {
		o := openGatewayOffice(t, slacktest.Config{})
		o.Order(slacktest.Fault{Method: "apps.connections.open", Error: code})
		err := (&Gateway{
			Slack:      o.Bot,
			Inbox:      &bottest.Inbox{},
			Connecting: Connecting{Connections: 2, Apart: 1, MostApart: 1},
		}).Run(bottest.Soon(t))
		var refused *bot.AuthError
		require.ErrorAs(t, err, &refused, code)
		require.Equal(t, code, refused.Code)
		require.Contains(t, err.Error(), cure)
	}
}

func TestPassingTroubleIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.Order(slacktest.Fault{Method: "apps.connections.open", Error: "internal_error"})
	o.Order(slacktest.Fault{Method: "apps.connections.open", Status: 503})
	o.run(&Gateway{Inbox: in})
	ts := o.AdaSays("it fails", "")
	o.AdaSays("often", ts)
	o.Settle()
	require.Equal(t, []string{"often"}, in.Texts())
}
