package people

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// A link to a message is followed only where everybody who may read the thread may read the message.
func TestLinkedMessages(t *testing.T) {
	t.Parallel()
	o := openPeopleOffice(t, slacktest.Config{})
	p := &Directory{Slack: o.Bot}
	self := o.Bot.Self().User
	ben := o.Ben
	channel := func(c slacktest.Channel, members ...string) string {
		c = o.AddChannel(c)
		for _, m := range members {
			require.NoError(t, o.Join(c.ID, m))
		}
		return c.ID
	}
	general := channel(slacktest.Channel{Name: "general"}, ben.ID, self)
	secret := channel(slacktest.Channel{Name: "secret", Kind: slacktest.Private}, ben.ID, self)
	closed := channel(slacktest.Channel{Name: "closed"}, ben.ID)
	here := o.ThreadOf(o.AdaSays("look", ""))
	post := func(channel, text, thread string) string {
		ts, err := o.Say(channel, ben.ID, text, thread)
		require.NoError(t, err)
		return ts
	}
	link := func(channel, ts, more string) string {
		return "https://acme.slack.com/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", "") + more
	}
	root := post(general, "since the release <@"+o.Ada.ID+"> sees 500", "")
	reply := post(general, "only for EUR", root)
	want := func(link, text, refused string) {
		m, err := p.Linked(t.Context(), here, link)
		require.NoError(t, err)
		require.Equal(t, text, m.Text, link)
		require.Contains(t, m.Refused, refused, link)
		require.Equal(t, refused == "", m.Refused == "", link)

		page, err := p.ReadThread(t.Context(), here, workflow.ThreadQuery{Link: link, Most: 50})
		require.NoError(t, err)
		require.Equal(t, m.Refused, page.Refused, link)
		require.Equal(t, refused == "", page.Messages != nil, link)
	}
	want(link(general, root, ""), "since the release @ada sees 500", "")
	want(link(general, reply, "?thread_ts="+root+"&cid="+general), "only for EUR", "")
	m, err := p.Linked(t.Context(), here, link(general, root, ""))
	require.NoError(t, err)
	require.Equal(t, workflow.LinkedMessage{
		Thread: workflow.Thread{Channel: general, TS: root}, TS: root, User: ben.ID, Name: "ben",
		Channel: "#general",
		Text:    "since the release @ada sees 500",
		Replies: 1,
	}, m)
	want(link(here.Channel, here.TS, ""), "look", "")
	hidden := link(secret, post(secret, "the password is blue", ""), "")
	want(hidden, "", "private channel")
	makeIt := func(kind slacktest.ChannelKind) {
		require.NoError(t, o.ChangeChannel(secret, func(c *slacktest.Channel) { c.Kind = kind }))
	}
	makeIt(slacktest.Public)
	want(hidden, "the password is blue", "") // the control
	makeIt(slacktest.Private)
	want(hidden, "", "private channel")
	want(link(closed, post(closed, "x", ""), ""), "", "invite me")
	want(link("C0NOWHERE0", root, ""), "", "invite me")
	want(link(general, "1764300000.000100", ""), "", "does not have that message")
	want("https://acme.slack.com/archives/nothing", "", "names no message")

	// From a channel with a guest, only that channel's own messages are shown.
	guest := o.AddUser(slacktest.User{Name: "gus", Kind: slacktest.Guest})
	require.NoError(t, o.Join(here.Channel, guest.ID))
	want(link(general, root, ""), "", "guests")
	want(link(here.Channel, here.TS, ""), "look", "")
}

// The topic of a channel is read as Slack wrote it, so that it can name a repository.
func TestTopic(t *testing.T) {
	t.Parallel()
	o := openPeopleOffice(t, slacktest.Config{})
	p := &Directory{Slack: o.Bot}
	c := o.AddChannel(slacktest.Channel{
		Name: "reports", Members: []string{o.Bot.Self().User}, Topic: "repo: <https://git.example/acme/web>",
	})
	topic, err := p.Topic(t.Context(), c.ID)
	require.NoError(t, err)
	require.Equal(t, "repo: <https://git.example/acme/web>", topic)
	topic, err = p.Topic(t.Context(), o.Bugs.ID)
	require.NoError(t, err)
	require.Empty(t, topic)
	_, err = p.Topic(t.Context(), "C0NOWHERE")
	require.ErrorContains(t, err, "channel_not_found")
}
