package gateway

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// command lets ada run a command, waits until everything is handled, and returns the command's last delivery.
func (o *gatewayOffice) command(name, text string) slacktest.Delivery {
	o.T.Helper()
	require.NoError(o.T, o.Command("bugs", o.Ada.ID, name, text))
	o.Settle()
	deliveries := o.Deliveries()
	for i := len(deliveries) - 1; ; i-- {
		if deliveries[i].Type == "slash_commands" {
			return deliveries[i]
		}
	}
}

// whispered returns the texts that only one person sees.
func (o *gatewayOffice) whispered() (texts []string) {
	for _, m := range o.Ephemeral() {
		texts = append(texts, m.Text)
	}
	return texts
}

func TestACommandOpensAThread(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	d := o.command("/grill-me", `"dark mode" for <!channel> &amp; @here, as in https://evil.example/?q=1`)
	require.Equal(t, slacktest.Acked, d.Outcome)
	require.Empty(t, o.whispered())

	channel := o.Channel("bugs")
	require.Len(t, channel, 1)
	root := channel[0]
	require.Equal(t, "<@"+o.Ada.ID+"> /grill-me \"dark mode\" for &lt;!channel&gt; &amp; @here, "+
		"as in `https://evil.example/?q=1`", root.Text)
	require.Equal(t, o.App().BotID, root.BotID)
	require.Equal(t, "bobbin_command", root.Metadata.EventType)
	require.False(t, *root.UnfurlLinks)
	require.False(t, *root.UnfurlMedia)
	require.Equal(t, "none", o.Requests("chat.postMessage")[0].Args.Get("parse"))

	_, kept := in.Seen()
	require.Equal(t, []workflow.IncomingEvent{{
		EventID:  d.EnvelopeID,
		Kind:     workflow.MessageMention,
		Thread:   o.ThreadOf(root.TS),
		TS:       root.TS,
		User:     o.Ada.ID,
		UserTeam: o.App().TeamID,
		Text:     `/grill-me "dark mode" for <!channel> & @here, as in https://evil.example/?q=1`,
		At:       event.ParseTS(root.TS),
	}}, kept)
	request := intent.ReadRequest(kept[0].Text)
	require.Equal(t, workflow.CommandGrillMe, request.Command)
	require.Contains(t, request.CommandText, "dark mode")
}

func TestCommandsThatSayTooLittle(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	for _, c := range []struct{ name, text, told string }{
		{"/grill-me", "", "Say what it is about: `/grill-me \"what you want\"`"},
		{"/start-work", " \n", "Say what it is about: `/start-work \"what has to be done\"`"},
		{"/diagnose", "\u200b", "Say what it is about: `/diagnose \"what is wrong\"`"},
		{"/diagnos", "it", "I do not know /diagnos. Did you mean `/diagnose`?"},
		{"/consult", "", "Say what it is about: `/consult \"your question\"`"},
		{"/deploy", "dark mode", "I do not know /deploy. My commands are:\n" +
			"`/bobbin help | report | status | stop`\n`/grill-me \"what you want\"`\n" +
			"`/start-work \"what has to be done\"`\n" +
			"`/diagnose \"what is wrong\"`\n`/consult \"your question\"`"},
	} {
		d := o.command(c.name, c.text)
		require.Equal(t, slacktest.Acked, d.Outcome)
		told := o.whispered()
		require.Equal(t, c.told, told[len(told)-1])
	}
	require.Empty(t, o.Channel("bugs"))
	calls, _ := in.Seen()
	require.Empty(t, calls)
}

func TestACommandWhereTheBotIsNot(t *testing.T) {
	t.Parallel()
	for _, kind := range []slacktest.ChannelKind{slacktest.Public, slacktest.Private} {
		// not_in_channel, channel_not_found
		o := openGatewayOffice(t, slacktest.Config{AppName: "bobbin"})
		in := &bottest.Inbox{}
		o.run(&Gateway{Inbox: in, StoreTimeout: time.Hour}) // there is nothing to wait for: it fails at once
		require.NoError(t, o.ChangeChannel("bugs", func(ch *slacktest.Channel) { ch.Kind = kind }))
		require.NoError(t, o.Leave("bugs", o.App().BotUser))
		require.Equal(t, slacktest.Acked, o.command("/diagnose", "the cart").Outcome)
		require.Equal(t,
			[]string{"I am not in this channel. Invite me first: /invite @bobbin"}, o.whispered())
		require.Empty(t, o.Requests("chat.postMessage"))

		require.NoError(t, o.Join("bugs", o.App().BotUser))
		o.command("/diagnose", "the cart")
		require.Equal(t, []string{"/diagnose the cart"}, in.Texts())
	}
}

func TestACommandThatComesAgainIsOneThread(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	d := o.command("/consult", "is the pool too small?")
	o.AdaSays("nobody asked", "")
	for range 3 {
		require.NoError(t, o.Redeliver(d.EnvelopeID))
		o.Settle()
	}
	calls, kept := in.Seen()
	require.Len(t, calls, 4)
	require.Len(t, kept, 1)
	require.Len(t, o.Requests("chat.postMessage"), 1)
	require.Equal(t, kept[0].TS, o.Channel("bugs")[0].TS)

	o.command("/consult", "is the pool too small?")
	require.Len(t, in.Texts(), 2, "the same words again are another command")
}

// The control of the test above: without the look-up, each delivery opens a thread.
func TestControlACommandThatComesAgainDoubles(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	o.run(&Gateway{Inbox: &bottest.Inbox{}, skipLookup: true})
	d := o.command("/consult", "is the pool too small?")
	require.NoError(t, o.Redeliver(d.EnvelopeID))
	o.Settle()
	require.Len(t, o.Channel("bugs"), 2)
}

// TestACommandOnTwoConnectionsAtOnceIsOneThread lets both connections look before either has posted.
func TestACommandOnTwoConnectionsAtOnceIsOneThread(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in, Connecting: Connecting{Connections: 2}})
	random := rand.New(rand.NewPCG(1, 1))
	most := 0
	for n := range 8 {
		o.Order(slacktest.Fault{Method: "chat.postMessage", Times: 2, Latency: 50 * time.Millisecond})
		o.Hold()
		require.NoError(t, o.Command("bugs", o.Ada.ID, "/consult", fmt.Sprint("question ", n)))
		o.Release(3, random, nil)
		require.Eventually(t, func() bool {
			calls, _ := in.Seen()
			return len(calls) == 3*(n+1)
		}, time.Minute, time.Millisecond)
		o.ClearFaults()
		most = max(most, len(o.Requests("chat.postMessage"))-n)
	}
	require.Greater(t, most, 1, "two connections never posted at once: nothing was shown")
	_, kept := in.Seen()
	require.Len(t, kept, 8)
	require.Len(t, o.Channel("bugs"), 8)
	for n, m := range o.Channel("bugs") {
		require.Equal(t, m.TS, kept[n].TS)
	}
}

func TestALostAnswerToACommandsMessage(t *testing.T) {
	t.Parallel()
	for _, blind := range []bool{false, true} { // true is the control
		o := openGatewayOffice(t, slacktest.Config{})
		in := &bottest.Inbox{}
		o.run(&Gateway{Inbox: in, StoreTimeout: time.Minute, skipLookup: blind})
		o.Order(slacktest.Fault{Method: "chat.postMessage", LoseAnswer: true})
		require.Equal(t, slacktest.Acked, o.command("/diagnose", "the cart").Outcome)
		require.Equal(t, []string{"/diagnose the cart"}, in.Texts())
		require.Empty(t, o.whispered())
		require.Equal(t, blind, len(o.Channel("bugs")) == 2)
	}
}

func TestACommandOutlivesAShortOutage(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	var calls atomic.Int32
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		if calls.Add(1) <= 3 {
			return errors.New("the database is away")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in, StoreTimeout: time.Minute})
	o.Order(slacktest.Fault{Method: "conversations.history", Status: 503})
	o.Order(slacktest.Fault{Method: "chat.postMessage", Error: "internal_error"})
	require.Equal(t, slacktest.Acked, o.command("/diagnose", "the cart").Outcome)
	require.Equal(t, []string{"/diagnose the cart"}, in.Texts())
	require.Len(t, o.Channel("bugs"), 1)
	require.Empty(t, o.whispered())
}

// TestACommandIsKeptBeforeItIsAcknowledged checks that the acknowledgement of a command follows the commit.
func TestACommandIsKeptBeforeItIsAcknowledged(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	commit := make(chan struct{})
	entered := make(chan struct{}, 10)
	o.run(&Gateway{Inbox: &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		entered <- struct{}{}
		<-commit
		return nil
	}}})
	require.NoError(t, o.Command("bugs", o.Ada.ID, "/diagnose", "the cart"))
	<-entered
	before := o.Deliveries()[0]
	close(commit)
	o.Settle()
	require.Equal(t, slacktest.Pending, before.Outcome)
	require.Equal(t, slacktest.Acked, o.Deliveries()[0].Outcome)
}

func TestACommandThatCannotBeKept(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	var away atomic.Bool
	away.Store(true)
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		if away.Load() {
			return errors.New("the database is away")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in})
	d := o.command("/diagnose", "the cart")
	require.Equal(t, slacktest.Acked, d.Outcome)
	require.Len(t, o.whispered(), 1)
	require.Contains(t, o.whispered()[0], "try again")
	require.Empty(t, o.Channel("bugs"), "no thread stands there without an answer")

	away.Store(false)
	require.NoError(t, o.Redeliver(d.EnvelopeID))
	o.Settle()
	require.Equal(t, []string{"/diagnose the cart"}, in.Texts())

	// A thread that was stored earlier stays, even if a redelivered command fails.
	away.Store(true)
	require.NoError(t, o.Redeliver(d.EnvelopeID))
	o.Settle()
	require.Len(t, o.Channel("bugs"), 1)
}

func TestACommandThatSlackDoesNotLetUsAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault slacktest.Fault
		told  string
	}{
		{
			slacktest.Fault{Method: "chat.postMessage", Error: "restricted_action"},
			"Slack does not let me write here (restricted_action).",
		},
		{slacktest.Fault{Method: "conversations.history", Error: "missing_scope"}, "the app lacks a scope"},
		{slacktest.Fault{Method: "chat.postMessage", Status: 503, Times: -1}, "try again"},
		{slacktest.Fault{Method: "chat.postMessage", Status: 429, RetryAfter: time.Hour}, "try again"},
	} {
		// The acknowledgement timeout is far longer than the patience, and far shorter than Slack's
		// Retry-After.
		o := openGatewayOffice(t, slacktest.Config{AckTimeout: 20 * time.Second})
		in := &bottest.Inbox{}
		o.run(&Gateway{Inbox: in, StoreTimeout: 200 * time.Millisecond})
		o.Order(c.fault)
		d := o.command("/diagnose", "the cart")
		require.Equal(t, slacktest.Acked, d.Outcome)
		require.Contains(t, strings.Join(o.whispered(), "\n"), c.told)
		require.Empty(t, in.Texts())
	}
}
