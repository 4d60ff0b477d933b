package slacktest

import (
	"fmt"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("root", "")
	var all []string
	for i := range 7 {
		all = append(all, o.say(fmt.Sprint("reply ", i), root))
	}
	mine := o.post(slack.MsgOptionTS(root), slack.MsgOptionText("answer", false),
		slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType:    "e",
			EventPayload: map[string]any{"key": "k"},
		}))
	o.say("another thread", "")

	var seen []string
	pages := 0
	cursor := ""
	for more := true; more; pages++ {
		var part []slack.Message
		var err error
		part, more, cursor, err = o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
			ChannelID: o.bugs.ID, Timestamp: root, Limit: 4, Cursor: cursor,
		})
		require.NoError(t, err)
		for _, m := range part {
			seen = append(seen, m.Timestamp)
			require.Empty(t, m.Metadata.EventType, "metadata has to be asked for")
		}
	}
	require.Equal(t, 3, pages)
	require.Equal(t, append(append([]string{root}, all...), mine), seen)

	list, _, _, err := o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID, Timestamp: root, Oldest: all[6], IncludeAllMetadata: true,
	})
	require.NoError(t, err)
	require.Len(t, list, 2, "the root comes whatever oldest says")
	require.Equal(t, 8, list[0].ReplyCount)
	require.Equal(t, mine, list[0].LatestReply)
	require.Equal(t, "k", list[1].Metadata.EventPayload["key"])
	require.Equal(t, o.ada.ID, list[1].ParentUserId)

	list, _, _, err = o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID, Timestamp: root, Oldest: all[0], Latest: all[2], Inclusive: true,
	})
	require.NoError(t, err)
	require.Len(t, list, 4)
	list, _, _, err = o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID,
		Timestamp: all[0],
	})
	require.NoError(t, err)
	require.Len(t, list, 1, "a reply's ts gives the reply alone")
	_, _, _, err = o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID,
		Timestamp: "1.1",
	})
	refused(t, err, "thread_not_found")
	_, _, _, err = o.api.GetConversationReplies(&slack.GetConversationRepliesParameters{
		ChannelID: o.bugs.ID,
		Timestamp: root,
		Cursor:    "?",
	})
	refused(t, err, "invalid_cursor")
}

func TestHistory(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	one := o.say("one", "")
	o.say("hidden", one)
	two := o.say("two", "")
	_, broadcast, err := o.api.PostMessage(o.bugs.ID, slack.MsgOptionTS(one),
		slack.MsgOptionText("shown", false), slack.MsgOptionBroadcast())
	require.NoError(t, err)

	history, err := o.api.GetConversationHistory(&slack.GetConversationHistoryParameters{
		ChannelID: o.bugs.ID,
		Limit:     2,
	})
	require.NoError(t, err)
	require.True(t, history.HasMore)
	require.Equal(t, []string{broadcast, two},
		[]string{history.Messages[0].Timestamp, history.Messages[1].Timestamp})
	history, err = o.api.GetConversationHistory(&slack.GetConversationHistoryParameters{
		ChannelID: o.bugs.ID, Cursor: history.ResponseMetaData.NextCursor,
	})
	require.NoError(t, err)
	require.Len(t, history.Messages, 1)
	require.Equal(t, one, history.Messages[0].Timestamp)
	require.False(t, history.HasMore)
}

func TestChannels(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	elsewhere := o.AddChannel(Channel{Name: "elsewhere", Members: []string{o.ada.ID}, Topic: "repo: shop"})
	o.AddChannel(Channel{Name: "secret", Kind: Private, Members: []string{o.ada.ID}})
	shared := o.AddChannel(Channel{
		Name:    "partners",
		Kind:    Private,
		Shared:  true,
		Members: []string{o.ada.ID, o.App().BotUser},
	})
	o.AddChannel(Channel{Name: "old", Archived: true})

	list, _, err := o.api.GetConversations(&slack.GetConversationsParameters{
		Types: []string{"public_channel", "private_channel"}, ExcludeArchived: true,
	})
	require.NoError(t, err)
	require.Equal(t, []string{"bugs", "elsewhere", "partners"},
		[]string{list[0].Name, list[1].Name, list[2].Name})

	info, err := o.api.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: shared.ID})
	require.NoError(t, err)
	require.True(t, info.IsExtShared && info.IsPrivate && info.IsMember)
	info, err = o.api.GetConversationInfo(&slack.GetConversationInfoInput{
		ChannelID:         elsewhere.ID,
		IncludeNumMembers: true,
	})
	require.NoError(t, err)
	require.False(t, info.IsMember)
	require.Equal(t, "repo: shop", info.Topic.Value)
	require.Equal(t, 1, info.NumMembers)

	_, err = o.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: elsewhere.ID})
	refused(t, err, "not_in_channel")
	_, _, _, err = o.api.JoinConversation(elsewhere.ID)
	require.NoError(t, err)
	_, err = o.api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: elsewhere.ID})
	require.NoError(t, err)

	members, next, err := o.api.GetUsersInConversation(&slack.GetUsersInConversationParameters{
		ChannelID: o.bugs.ID,
		Limit:     2,
	})
	require.NoError(t, err)
	require.Equal(t, []string{o.ada.ID, o.ben.ID}, members)
	members, next, err = o.api.GetUsersInConversation(&slack.GetUsersInConversationParameters{
		ChannelID: o.bugs.ID,
		Cursor:    next,
	})
	require.NoError(t, err)
	require.Equal(t, []string{o.App().BotUser}, members)
	require.Empty(t, next)
}

func TestOpenConversation(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	im, _, _, err := o.api.OpenConversation(&slack.OpenConversationParameters{
		Users:    []string{o.ada.ID},
		ReturnIM: true,
	})
	require.NoError(t, err)
	require.True(t, im.IsIM)
	require.Equal(t, o.ada.ID, im.User)
	again, _, already, err := o.api.OpenConversation(&slack.OpenConversationParameters{ChannelID: im.ID})
	require.NoError(t, err)
	require.True(t, already)
	require.Equal(t, im.ID, again.ID)

	gone := o.AddUser(User{Name: "gone", Deleted: true})
	_, _, _, err = o.api.OpenConversation(&slack.OpenConversationParameters{Users: []string{gone.ID}})
	refused(t, err, "user_disabled")
}
