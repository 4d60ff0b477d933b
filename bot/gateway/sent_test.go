package gateway

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

func (o *gatewayOffice) marked() map[string][]string { return map[string][]string{o.Bugs.ID: {"bug"}} }

func TestAMessageIsSentByItsShortcut(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	root := o.AdaSays("the total is a cent off", "")
	reply := o.AdaSays("stop &amp; fix it", root)
	require.NoError(t, o.Shortcut("bugs", root, event.SendShortcut, o.Ben.ID))
	require.NoError(t, o.Shortcut("bugs", reply, event.SendShortcut, o.Ben.ID))
	o.Settle()
	_, kept := in.Seen()
	require.Len(t, kept, 3, "the reply itself, and two that were sent")
	for i, k := range kept[1:] {
		require.Equal(t, workflow.MessageSent, k.Kind)
		require.Equal(t, o.ThreadOf(root), k.Thread)
		require.Equal(t, []string{root, reply}[i], k.TS)
		require.Equal(t, []string{"the total is a cent off", "stop & fix it"}[i], k.Text)
		require.Equal(t, o.Ben.ID, k.User)
		require.Equal(t, o.Ada.ID, k.Value)
		require.Equal(t, workflow.ByShortcut, k.ActionID)
		require.WithinDuration(t, time.Now(), k.At, time.Minute)
	}
}

func TestWhoeverSendsFromWhereTheBotIsNotIsTold(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in})
	own, err := o.SayAsBot("bugs", o.App().BotID, "[deep] Done", "")
	require.NoError(t, err)
	for _, ch := range []slacktest.Channel{{Name: "open"}, {Name: "closed", Kind: slacktest.Private}} {
		ch.Members = []string{o.Ada.ID, o.Ben.ID}
		o.AddChannel(ch)
		ts, err := o.Say(ch.Name, o.Ada.ID, "it fails", "")
		require.NoError(t, err)
		require.NoError(t, o.Shortcut(ch.Name, ts, event.SendShortcut, o.Ben.ID))
	}
	require.NoError(t, o.Shortcut("bugs", own, event.SendShortcut, o.Ben.ID))
	o.Settle()
	calls, _ := in.Seen()
	require.Empty(t, calls)
	told := o.Ephemeral()
	require.Len(t, told, 3)
	for _, m := range told[:2] {
		require.Contains(t, m.Text, "/invite @"+o.Bot.Self().Name)
	}
	require.Contains(t, told[2].Text, "a message of mine")
}

// TestAShortcutThatFailsIsTold checks that the person is told about a failed shortcut, since Slack delivers
// it only once; in a direct message if the response URL does not work.
func TestAShortcutThatFailsIsTold(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{
		Before: func(workflow.IncomingEvent) error { return errors.New("the database is away") },
	}
	o.run(&Gateway{Inbox: in})
	ts := o.AdaSays("it fails", "")
	require.NoError(t, o.Shortcut("bugs", ts, event.SendShortcut, o.Ben.ID))
	o.Settle()
	require.Len(t, o.Ephemeral(), 1)
	require.Contains(t, o.Ephemeral()[0].Text, "try again")

	l := &link{Gateway: &Gateway{Slack: o.Bot}, log: o.Bot.Log()}
	l.tellAlone(t.Context(), event.SharedMessage{
		In:        workflow.IncomingEvent{User: o.Ben.ID},
		AnswerURL: "http://127.0.0.1:1/",
	}, "not now")
	im, err := o.OpenIM(o.Ben.ID)
	require.NoError(t, err)
	require.Len(t, o.Channel(im.ID), 1)
	require.Equal(t, "not now", o.Channel(im.ID)[0].Text)
}

func TestAReactionSendsWhereItIsConfigured(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	o.run(&Gateway{Inbox: in, Listening: Listening{Reactions: o.marked()}})
	elsewhere := o.AddChannel(slacktest.Channel{Name: "chat", Members: []string{o.Ada.ID, o.App().BotUser}})
	far, err := o.Say(elsewhere.ID, o.Ada.ID, "nice", "")
	require.NoError(t, err)
	own, err := o.SayAsBot("bugs", o.App().BotID, "[deep] Done", "")
	require.NoError(t, err)
	root := o.AdaSays("a thread", "")
	reply, err := o.Attach("bugs", o.Ada.ID, "the total is off", root, slacktest.Upload{
		File:    slacktest.File{Name: "till.txt"},
		Content: "25.02",
	})
	require.NoError(t, err)
	before, _ := in.Seen()
	require.NoError(t, o.React(elsewhere.ID, far, o.Ada.ID, "bug"), "another channel")
	require.NoError(t, o.React("bugs", reply, o.Ada.ID, "tada"), "another emoji")
	require.NoError(t, o.React("bugs", own, o.Ada.ID, "bug"), "the bot's own message")
	require.NoError(t, o.React("bugs", reply, o.App().BotUser, "bug"), "the bot's own reaction")
	o.Settle()
	nothing, _ := in.Seen()
	nothing = slices.DeleteFunc(nothing,
		func(e workflow.IncomingEvent) bool { return e.Kind == workflow.MessageReacted })
	require.Len(t, nothing, max(len(before), 1), "the reply alone")

	require.NoError(t, o.React("bugs", reply, o.Ben.ID, "bug"))
	require.NoError(t, o.Unreact("bugs", reply, o.Ben.ID, "bug"))
	require.NoError(t, o.React("bugs", reply, o.Ben.ID, "bug"))
	o.Settle()
	_, kept := in.Seen()
	kept = slices.DeleteFunc(kept,
		func(e workflow.IncomingEvent) bool { return e.Kind == workflow.MessageReacted })
	require.Len(t, kept, 2)
	require.Equal(t, workflow.MessageSent, kept[1].Kind)
	require.Equal(t, o.ThreadOf(root), kept[1].Thread, "the thread that the message stands in")
	require.Equal(t, reply, kept[1].TS)
	require.Equal(t, "the total is off\n[attached: till.txt]", kept[1].Text)
	require.Len(t, kept[1].Files, 1)
	require.Equal(t, reply, kept[1].Files[0].Message)
	require.Equal(t, o.Ben.ID, kept[1].User)
	require.Equal(t, o.Ada.ID, kept[1].Value)
}

// TestAReactionIsNotLost checks that a reaction is delivered again if its message cannot be read at that
// moment, but not if the message is gone.
func TestAReactionIsNotLost(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{AckTimeout: 200 * time.Millisecond, Retries: untilAcked})
	var tries atomic.Int32
	in := &bottest.Inbox{Before: func(workflow.IncomingEvent) error {
		if tries.Add(1) == 1 {
			return errors.New("the database is away")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in, Listening: Listening{Reactions: o.marked()}})
	ts := o.AdaSays("it fails", "")
	o.Order(slacktest.Fault{Method: "conversations.replies", Status: 500})
	require.NoError(t, o.React("bugs", ts, o.Ben.ID, "bug"))
	o.Settle()
	_, kept := in.Seen()
	require.Len(t, kept, 1)

	o.Order(slacktest.Fault{Method: "conversations.replies", Error: "thread_not_found"})
	require.NoError(t, o.React("bugs", ts, o.Ada.ID, "bug"))
	o.Settle()
	_, kept = in.Seen()
	require.Len(t, kept, 1)
}
