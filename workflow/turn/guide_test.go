package turn

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
)

// A guideOffice is an office whose App Homes can have a guide posted in #bugs.
type guideOffice struct {
	*office
	homes *home.Homes
}

func openGuideOffice(t *testing.T) guideOffice {
	o := openOffice(t)
	directory := o.Slack.(asKept).Slack.(*people.Directory)
	posts := &poster.Poster{
		Slack:  directory.Slack,
		Outbox: outbox.New(o.Store.DB).Guides("orchestrator"),
		Pace:   time.Nanosecond, Settle: time.Nanosecond,
	}
	return guideOffice{o, &home.Homes{
		Store: o.Store, Log: o.Log, Directory: directory,
		PostGuides: func(ctx context.Context) error { return posts.Drain(ctx, "") },
	}}
}

// guides returns the guides in the channel, oldest first.
func (o guideOffice) guides() (list []slacktest.Message) {
	for _, m := range o.slack.Channel(o.channel) {
		if strings.HasPrefix(m.Text, "[orchestrator] *Bobbin fixes code from a thread.*") {
			list = append(list, m)
		}
	}
	return list
}

func (o guideOffice) press(user string) error {
	return o.homes.Press(o.t.Context(), user, workflow.ButtonGuide, o.channel)
}

// state returns what the asker's home says of the channel.
func (o guideOffice) state() workflow.ChannelGuideState {
	o.t.Helper()
	view, err := o.homes.Home(o.t.Context(), o.asker)
	require.NoError(o.t, err)
	require.NotEmpty(o.t, view.Guides)
	return view.Guides[0]
}

func (o guideOffice) exec(sql string) {
	o.t.Helper()
	_, err := o.Store.DB.Pool.Exec(o.t.Context(), sql)
	require.NoError(o.t, err)
}

// A full member has the guide posted and pinned, once however often the button is pressed. Others have not.
func TestAGuideIsPostedAndPinned(t *testing.T) {
	t.Parallel()
	o := openGuideOffice(t)
	require.Equal(t, workflow.ChannelGuideState{Channel: o.channel}, o.state())
	for _, name := range []string{"gus", "eve"} {
		require.NoError(t, o.press(o.people[name]))
		view, err := o.homes.Home(t.Context(), o.people[name])
		require.NoError(t, err)
		require.Empty(t, view.Guides, name)
	}
	require.NoError(t, o.homes.Press(t.Context(), o.asker, workflow.ButtonGuide, "C0NOWHERE"))
	require.Empty(t, o.guides())

	require.NoError(t, o.press(o.asker))
	require.NoError(t, o.press(o.asker))
	list := o.guides()
	require.Len(t, list, 1)
	require.Equal(t, []string{o.channel}, list[0].PinnedTo)
	require.Contains(t, list[0].Text, "\n◆ Lines with this mark", "it keeps the mark that it explains")
	require.Equal(t, 1, strings.Count(list[0].Text, workflow.Mark))
	require.Empty(t, list[0].ThreadTS, "it is a message of the channel")
	require.Equal(t, workflow.ChannelGuideState{
		Channel: o.channel, By: o.asker, TS: list[0].TS, Pinned: true,
	}, o.state())

	o.exec(`update guides set at = at - interval '2 minutes'`)
	require.NoError(t, o.press(o.asker))
	require.Len(t, o.guides(), 2, "the first one may be gone")
}

// If Slack's answer is lost, the message is looked up and not posted again. The control: a row that says
// nothing of the first try posts it twice.
func TestALostGuideIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, knows := range []bool{true, false} {
		o := openGuideOffice(t)
		o.slack.Order(slacktest.Fault{Method: "chat.postMessage", LoseAnswer: true, Times: 1})
		require.Error(t, o.press(o.asker))
		require.NoError(t, o.press(o.asker))
		require.Len(t, o.guides(), 1, "another worker may be at it")
		require.False(t, o.state().Pinned)
		if !knows {
			o.exec(`update guides set posting = null`)
		}
		o.exec(`update guides set tried_at = tried_at - interval '2 minutes'`)
		require.NoError(t, o.homes.PostGuides(t.Context()))
		require.True(t, o.state().Pinned)
		if knows {
			require.Len(t, o.guides(), 1)
		} else {
			require.Len(t, o.guides(), 2, "the control")
		}
	}
}

// Without the scope the message stays, and the home says why it is not pinned.
func TestAGuideThatCannotBePinned(t *testing.T) {
	t.Parallel()
	o := openGuideOffice(t)
	o.slack.Order(slacktest.Fault{Method: "pins.add", Error: "missing_scope"})
	require.NoError(t, o.press(o.asker))
	require.Len(t, o.guides(), 1)
	state := o.state()
	require.Equal(t, "missing_scope", state.Refused)
	require.Equal(t, o.guides()[0].TS, state.TS)
}

// In a channel that the bot is not in nothing is posted, and the home knows why. After an invitation a second
// press posts it.
func TestAGuideInAChannelThatTheBotIsNotIn(t *testing.T) {
	t.Parallel()
	o := openGuideOffice(t)
	bot := o.slack.App().BotUser
	require.NoError(t, o.slack.Leave(o.channel, bot))
	require.NoError(t, o.press(o.asker))
	require.Empty(t, o.guides())
	require.Equal(t, "not_in_channel", o.state().Refused)

	require.NoError(t, o.slack.Join(o.channel, bot))
	require.NoError(t, o.press(o.asker))
	require.Len(t, o.guides(), 1)
	require.True(t, o.state().Pinned)
}
