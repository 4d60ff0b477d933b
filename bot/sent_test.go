package bot

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

func (o *office) marked() map[string][]string { return map[string][]string{o.bugs.ID: {"bug"}} }

func TestAMessageIsSentByItsShortcut(t *testing.T) {
	t.Parallel()
	o, in := openOffice(t, slacktest.Config{}), &inbox{}
	o.run(&Gateway{Inbox: in})
	root := o.say("the total is a cent off", "")
	reply := o.say("stop &amp; fix it", root)
	require.NoError(t, o.Shortcut("bugs", root, sendShortcut, o.ben.ID))
	require.NoError(t, o.Shortcut("bugs", reply, sendShortcut, o.ben.ID))
	o.settled()
	_, kept := in.seen()
	require.Len(t, kept, 3, "the reply itself, and two that were sent")
	for i, k := range kept[1:] {
		require.Equal(t, workflow.IncomingSent, k.Kind)
		require.Equal(t, o.thread(root), k.Thread)
		require.Equal(t, []string{root, reply}[i], k.TS)
		require.Equal(t, []string{"the total is a cent off", "stop & fix it"}[i], k.Text)
		require.Equal(t, o.ben.ID, k.User)
		require.Equal(t, o.ada.ID, k.Value)
		require.Equal(t, byShortcut, k.ActionID)
		require.WithinDuration(t, time.Now(), k.At, time.Minute)
	}
}

func TestWhoeverSendsFromWhereTheBotIsNotIsTold(t *testing.T) {
	t.Parallel()
	o, in := openOffice(t, slacktest.Config{}), &inbox{}
	o.run(&Gateway{Inbox: in})
	own, err := o.SayAsBot("bugs", o.App().BotID, "[deep] Done", "")
	require.NoError(t, err)
	for _, ch := range []slacktest.Channel{{Name: "open"}, {Name: "closed", Kind: slacktest.Private}} {
		ch.Members = []string{o.ada.ID, o.ben.ID}
		o.AddChannel(ch)
		ts, err := o.Say(ch.Name, o.ada.ID, "it fails", "")
		require.NoError(t, err)
		require.NoError(t, o.Shortcut(ch.Name, ts, sendShortcut, o.ben.ID))
	}
	require.NoError(t, o.Shortcut("bugs", own, sendShortcut, o.ben.ID))
	o.settled()
	calls, _ := in.seen()
	require.Empty(t, calls)
	told := o.Ephemeral()
	require.Len(t, told, 3)
	for _, m := range told[:2] {
		require.Contains(t, m.Text, "/invite @"+o.bot.self.Name)
	}
	require.Contains(t, told[2].Text, "a message of mine")
}

// Slack delivers a shortcut once, so who pressed it hears of a failure; directly, where the
// answer's address is not to be had.
func TestAShortcutThatFailsIsTold(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{})
	in := &inbox{before: func(workflow.Incoming) error { return errors.New("the database is away") }}
	o.run(&Gateway{Inbox: in})
	ts := o.say("it fails", "")
	require.NoError(t, o.Shortcut("bugs", ts, sendShortcut, o.ben.ID))
	o.settled()
	require.Len(t, o.Ephemeral(), 1)
	require.Contains(t, o.Ephemeral()[0].Text, "try again")

	l := &link{Gateway: &Gateway{Slack: o.bot}, log: o.bot.cfg.Log}
	l.tellAlone(t.Context(), sent{in: workflow.Incoming{User: o.ben.ID}, answer: "http://127.0.0.1:1/"}, "not now")
	im, err := o.OpenIM(o.ben.ID)
	require.NoError(t, err)
	require.Len(t, o.Channel(im.ID), 1)
	require.Equal(t, "not now", o.Channel(im.ID)[0].Text)
}

func TestAReactionSendsWhereItIsConfigured(t *testing.T) {
	t.Parallel()
	o, in := openOffice(t, slacktest.Config{}), &inbox{}
	o.run(&Gateway{Inbox: in, Reactions: o.marked()})
	elsewhere := o.AddChannel(slacktest.Channel{Name: "chat", Members: []string{o.ada.ID, o.App().BotUser}})
	far, err := o.Say(elsewhere.ID, o.ada.ID, "nice", "")
	require.NoError(t, err)
	own, err := o.SayAsBot("bugs", o.App().BotID, "[deep] Done", "")
	require.NoError(t, err)
	root := o.say("a thread", "")
	reply := o.say("the total is off", root)
	before, _ := in.seen()
	require.NoError(t, o.React(elsewhere.ID, far, o.ada.ID, "bug"), "another channel")
	require.NoError(t, o.React("bugs", reply, o.ada.ID, "tada"), "another emoji")
	require.NoError(t, o.React("bugs", own, o.ada.ID, "bug"), "the bot's own message")
	require.NoError(t, o.React("bugs", reply, o.App().BotUser, "bug"), "the bot's own reaction")
	o.settled()
	nothing, _ := in.seen()
	require.Len(t, nothing, max(len(before), 1), "the reply alone")

	require.NoError(t, o.React("bugs", reply, o.ben.ID, "bug"))
	require.NoError(t, o.Unreact("bugs", reply, o.ben.ID, "bug"))
	require.NoError(t, o.React("bugs", reply, o.ben.ID, "bug"))
	o.settled()
	_, kept := in.seen()
	require.Len(t, kept, 2)
	require.Equal(t, workflow.IncomingSent, kept[1].Kind)
	require.Equal(t, o.thread(root), kept[1].Thread, "the thread that the message stands in")
	require.Equal(t, reply, kept[1].TS)
	require.Equal(t, "the total is off", kept[1].Text)
	require.Equal(t, o.ben.ID, kept[1].User)
	require.Equal(t, o.ada.ID, kept[1].Value)
}

// A reaction whose message cannot be read at this moment comes again; one whose message is
// gone does not.
func TestAReactionIsNotLost(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{AckTimeout: 200 * time.Millisecond, Retries: []time.Duration{0, 0, 0}})
	var tries atomic.Int32
	in := &inbox{before: func(workflow.Incoming) error {
		if tries.Add(1) == 1 {
			return errors.New("the database is away")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in, Reactions: o.marked()})
	ts := o.say("it fails", "")
	o.Order(slacktest.Fault{Method: "conversations.replies", Status: 500})
	require.NoError(t, o.React("bugs", ts, o.ben.ID, "bug"))
	o.settled()
	_, kept := in.seen()
	require.Len(t, kept, 1)

	o.Order(slacktest.Fault{Method: "conversations.replies", Error: "thread_not_found"})
	require.NoError(t, o.React("bugs", ts, o.ada.ID, "bug"))
	o.settled()
	_, kept = in.seen()
	require.Len(t, kept, 1)
}

// FuzzSent: a message that was sent has a place, a sender and a name, or it is none.
func FuzzSent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"message_action","callback_id":"send_to_bobbin","user":{"id":"U1","team_id":"T1"},"channel":{"id":"C1","name":"bugs"},"message_ts":"1.2","action_ts":"3.4","message":{"user":"U2","ts":"1.2","thread_ts":"1.1","text":"it fails"}}`,
		`{"type":"message_action","callback_id":"send_to_bobbin","user":7,"channel":[],"message":"x"}`, `[]`, `{`,
	} {
		f.Add("interactive", []byte(seed))
	}
	f.Add("events_api", callback(`{"type":"reaction_added","user":"U1","reaction":"bug::skin-tone-2","item":{"type":"message","channel":"C1","ts":"1.1"}}`))
	f.Add("events_api", callback(`{"type":"reaction_added","user":["U1"],"reaction":{},"item":{"type":"file"}}`))
	f.Add("events_api", callback(`{"type":"app_home_opened","user":"U1","channel":"D1","tab":"home","view":{"id":"V1"}}`))
	f.Add("events_api", callback(`{"type":"app_home_opened","user":{},"tab":["home"]}`))
	marked := reader
	marked.Reactions = map[string][]string{"C1": {"bug"}}
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		if user := homeOpened(kind, payload); user != "" {
			require.Equal(t, "events_api", kind)
		}
		s, ok := marked.sent(kind, payload)
		if !ok {
			return
		}
		require.Equal(t, workflow.IncomingSent, s.in.Kind)
		require.NotEmpty(t, s.in.EventID)
		require.NotEmpty(t, s.in.Thread.Channel)
		require.NotEmpty(t, s.in.TS)
		require.NotEmpty(t, s.in.User)
		require.False(t, strings.ContainsAny(s.in.ActionID, " :"))
	})
}
