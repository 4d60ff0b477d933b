package slacktest

import (
	"testing"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/stretchr/testify/require"
)

func TestAMentionArrivesTwice(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	root := o.say("a word before", "")
	before := inner[*slackevents.MessageEvent](a)
	require.Equal(t, root, before.TimeStamp)
	require.Empty(t, before.ThreadTimeStamp)

	ts := o.say(o.Mention()+" it is broken", root)
	mention := inner[*slackevents.AppMentionEvent](a)
	message := inner[*slackevents.MessageEvent](a)
	require.Equal(t, ts, mention.TimeStamp)
	require.Equal(t, ts, message.TimeStamp)
	require.Equal(t, root, mention.ThreadTimeStamp)
	require.Equal(t, root, message.ThreadTimeStamp)
	require.Equal(t, o.Mention()+" it is broken", mention.Text)
	require.Equal(t, o.ada.ID, mention.User)
	require.Equal(t, o.bugs.ID, mention.Channel)
	require.Equal(t, "channel", message.ChannelType)
	require.NotEmpty(t, message.ClientMsgID)
	require.Len(t, message.Blocks.BlockSet, 1)
	require.Empty(t, mention.Edited)
	o.quiet(a)

	list := o.Deliveries()
	require.Len(t, list, 3)
	require.Equal(t, "app_mention", list[1].EventType)
	require.NotEqual(t, list[1].EventID, list[2].EventID)
}

func TestEditsAndUnfurls(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	ts := o.say(o.Mention()+" brokn", "")
	a := o.connect(true)
	inner[*slackevents.AppMentionEvent](a)
	inner[*slackevents.MessageEvent](a)

	require.NoError(t, o.Edit("bugs", ts, o.Mention()+" broken"))
	changed := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "message_changed", changed.SubType)
	require.NotEqual(t, ts, changed.TimeStamp)
	require.Equal(t, ts, changed.Message.Timestamp)
	require.Equal(t, o.Mention()+" broken", changed.Message.Text)
	require.Equal(t, o.Mention()+" brokn", changed.PreviousMessage.Text)
	require.Equal(t, o.ada.ID, changed.Message.Edited.User)
	again := inner[*slackevents.AppMentionEvent](a)
	require.Equal(t, ts, again.TimeStamp)
	require.Equal(t, o.ada.ID, again.Edited.User, "app_mention fires again on an edit")

	require.NoError(t, o.Edit("bugs", ts, "never mind"))
	require.Equal(t, "message_changed", inner[*slackevents.MessageEvent](a).SubType)
	require.NoError(t, o.Unfurl("bugs", ts, "https://x.test", "", ""))
	unfurled := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "message_changed", unfurled.SubType)
	require.Equal(t, unfurled.PreviousMessage.Text, unfurled.Message.Text)
	require.Equal(t, unfurled.PreviousMessage.Edited, unfurled.Message.Edited)
	require.Len(t, unfurled.Message.Attachments, 1)
	o.quiet(a)
}

func TestDeletes(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{"message.channels"}})
	root := o.say("root", "")
	reply := o.say("reply", root)
	a := o.connect(true)
	inner[*slackevents.MessageEvent](a)
	inner[*slackevents.MessageEvent](a)

	require.NoError(t, o.Delete("bugs", root))
	tomb := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "message_changed", tomb.SubType)
	require.Equal(t, "tombstone", tomb.Message.SubType)
	require.Equal(t, "root", tomb.PreviousMessage.Text)
	require.Equal(t, "USLACKBOT", tomb.Message.User)
	require.Error(t, o.Edit("bugs", root, "back again"))
	require.Error(t, o.Delete("bugs", root))

	require.NoError(t, o.Delete("bugs", reply))
	gone := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "message_deleted", gone.SubType)
	require.Equal(t, reply, gone.DeletedTimeStamp)
	require.Equal(t, "reply", gone.PreviousMessage.Text)
	last := inner[*slackevents.MessageEvent](a)
	require.Equal(t, "message_deleted", last.SubType)
	require.Equal(t, root, last.DeletedTimeStamp, "the tombstone goes with its last reply")
	o.quiet(a)
	require.Empty(t, o.Channel("bugs"))
}

func TestTheAppSeesItsOwnDoings(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	ts := o.post(slack.MsgOptionText("I am "+o.Mention(), false))
	own := inner[*slackevents.MessageEvent](a)
	require.Equal(t, ts, own.TimeStamp)
	require.Equal(t, o.App().BotID, own.BotID)
	require.Equal(t, o.App().BotUser, own.User)
	require.Empty(t, own.SubType)
	_, _, _, err := o.api.UpdateMessage(o.bugs.ID, ts, slack.MsgOptionText("changed", false))
	require.NoError(t, err)
	require.Equal(t, "message_changed", inner[*slackevents.MessageEvent](a).SubType)
	require.NoError(t, o.api.AddReaction("eyes", slack.NewRefToMessage(o.bugs.ID, ts)))
	require.Equal(t, o.App().BotUser, inner[*slackevents.ReactionAddedEvent](a).User)
	_, _, err = o.api.DeleteMessage(o.bugs.ID, ts)
	require.NoError(t, err)
	require.Equal(t, "message_deleted", inner[*slackevents.MessageEvent](a).SubType)
	o.quiet(a)
}

func TestOtherBots(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	bot := o.AddBot(User{Name: "deploybot"})
	hook := o.AddBot(User{Name: "alerts", Hook: true})

	_, err := o.SayAsBot("bugs", bot.ID, "deployed", "")
	require.NoError(t, err)
	post := inner[*slackevents.MessageEvent](a)
	require.Equal(t, bot.BotID, post.BotID)
	require.Equal(t, bot.ID, post.User)
	require.Empty(t, post.SubType)
	_, err = o.SayAsBot("bugs", hook.BotID, o.Mention()+" fix it", "")
	require.NoError(t, err)
	require.Equal(t, hook.BotID, inner[*slackevents.AppMentionEvent](a).BotID)
	post = inner[*slackevents.MessageEvent](a)
	require.Equal(t, "bot_message", post.SubType)
	require.Equal(t, "alerts", post.Username)
	require.Empty(t, post.User)
	_, err = o.SayAsBot("bugs", o.ada.ID, "x", "")
	require.Error(t, err)
}

func TestEventsComeFromTheAppsChannelsOnly(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	other := o.AddChannel(Channel{Name: "other", Members: []string{o.ada.ID}})
	_, err := o.Say(other.ID, o.ada.ID, o.Mention()+" hello?", "")
	require.NoError(t, err)
	o.quiet(a)

	require.NoError(t, o.Join("other", o.App().BotUser))
	require.Equal(t, o.App().BotUser, inner[*slackevents.MemberJoinedChannelEvent](a).User)
	require.Equal(t, "channel_join", inner[*slackevents.MessageEvent](a).SubType)
	_, err = o.Say("other", o.ada.ID, "there you are", "")
	require.NoError(t, err)
	require.Equal(t, other.ID, inner[*slackevents.MessageEvent](a).Channel)
	require.NoError(t, o.Leave("other", o.App().BotUser))
	require.Equal(t, o.App().BotUser, inner[*slackevents.MemberLeftChannelEvent](a).User)
	_, err = o.Say("other", o.ada.ID, "gone again", "")
	require.NoError(t, err)
	o.quiet(a)
}

func TestKindsOfChannelInEvents(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	a := o.connect(true)
	eve := o.AddUser(User{Name: "eve", Kind: External})
	o.AddChannel(Channel{
		Name:    "partners",
		Kind:    Private,
		Shared:  true,
		Members: []string{eve.ID, o.App().BotUser},
	})
	_, err := o.Say("partners", eve.ID, "hello", "")
	require.NoError(t, err)
	outer, ok := a.next().Data.(slackevents.EventsAPIEvent)
	require.True(t, ok)
	require.True(t, outer.IsExtSharedChannel)
	message, ok := outer.InnerEvent.Data.(*slackevents.MessageEvent)
	require.True(t, ok)
	require.Equal(t, "group", message.ChannelType)

	im, err := o.OpenIM(o.ada.ID)
	require.NoError(t, err)
	_, err = o.Say(im.ID, o.ada.ID, o.Mention()+" psst", "")
	require.NoError(t, err)
	require.Equal(t, "im", inner[*slackevents.MessageEvent](a).ChannelType)
	o.quiet(a) // no app_mention in a direct message
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{Events: []string{"app_mention", "subteam_members_changed"}})
	a := o.connect(true)
	g := o.AddGroup(UserGroup{Handle: "leads", Users: []string{o.ada.ID}})
	o.say(o.Mention()+" hello", "")
	inner[*slackevents.AppMentionEvent](a)
	require.NoError(t, o.ChangeGroup(g.ID, []string{o.ben.ID}))
	changed := inner[*slackevents.SubteamMembersChangedEvent](a)
	require.Equal(t, []string{o.ben.ID}, changed.AddedUsers)
	require.Equal(t, []string{o.ada.ID}, changed.RemovedUsers)
	o.quiet(a)
}

func TestWhatPeopleCannotDo(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("root", "")
	outsider := o.AddUser(User{Name: "otto"})
	gone := o.AddUser(User{Name: "gone", Deleted: true})
	require.NoError(t, o.Join("bugs", gone.ID))
	for _, c := range []struct{ channel, user, thread, says string }{
		{"nowhere", o.ada.ID, "", `slacktest: no channel "nowhere"`},
		{"bugs", "U404", "", `slacktest: no user "U404"`},
		{"bugs", outsider.ID, "", "slacktest: otto is not in #bugs"},
		{"bugs", gone.ID, "", "slacktest: gone is deactivated"},
		{"bugs", o.ada.ID, "1.1", "slacktest: no message 1.1 in #bugs to reply to"},
	} {
		_, err := o.Say(c.channel, c.user, "x", c.thread)
		require.EqualError(t, err, c.says)
	}
	require.EqualError(t, o.React("bugs", root, o.ada.ID, ""), "invalid_name")
	require.Error(t, o.Edit("bugs", "1.1", "x"))
	require.Error(t, o.Leave("bugs", outsider.ID))
	require.NoError(t, o.ChangeChannel("bugs", func(ch *Channel) { ch.Archived = true }))
	_, err := o.Say("bugs", o.ada.ID, "x", "")
	require.EqualError(t, err, "slacktest: #bugs is archived")
}
