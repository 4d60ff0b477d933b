package slacktest

import (
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func TestKindsOfUser(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	guest := o.AddUser(User{Name: "gus", Kind: Guest})
	ultra := o.AddUser(User{Name: "una", Kind: UltraGuest})
	boss := o.AddUser(User{Name: "boss", Kind: Admin})
	outside := o.AddUser(User{Name: "eve", Kind: External})
	gone := o.AddUser(User{Name: "gone", Deleted: true})
	other := o.AddBot(User{Name: "deploybot"})

	info := func(id string) *slack.User {
		u, err := o.api.GetUserInfo(id)
		require.NoError(t, err)
		return u
	}
	full := info(o.ada.ID)
	require.Equal(t, "Ada Lovelace", full.RealName)
	require.False(t, full.IsRestricted || full.IsUltraRestricted || full.IsStranger || full.IsBot ||
		full.Deleted || full.IsAdmin)
	require.True(t, info(boss.ID).IsAdmin)
	require.True(t, info(guest.ID).IsRestricted)
	require.False(t, info(guest.ID).IsUltraRestricted)
	require.True(t, info(ultra.ID).IsRestricted && info(ultra.ID).IsUltraRestricted)
	require.True(t, info(gone.ID).Deleted)
	require.True(t, info(other.ID).IsBot)
	require.Equal(t, other.BotID, info(other.ID).Profile.BotID)
	require.True(t, info(outside.ID).IsStranger)
	require.NotEqual(t, o.App().TeamID, info(outside.ID).TeamID)
	require.NoError(t, o.Join("bugs", outside.ID))
	require.False(t, info(outside.ID).IsStranger,
		"somebody whom the app sees in a channel is no stranger, but still of another team")
	require.NotEqual(t, o.App().TeamID, info(outside.ID).TeamID)
	_, err := o.api.GetUserInfo("U404")
	refused(t, err, "user_not_found")

	require.NoError(t, o.ChangeUser(o.ben.ID, func(u *User) { u.Deleted = true }))
	require.True(t, info(o.ben.ID).Deleted)
	users, err := o.api.GetUsers()
	require.NoError(t, err)
	require.Len(t, users, 10, "Slackbot, the app, and those above")
	found, err := o.api.GetUserByEmail("ADA@acme.test")
	require.NoError(t, err)
	require.Equal(t, o.ada.ID, found.ID)
}

func TestBotsTeamAndGroups(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{TeamName: "Big Corp"})
	bot, err := o.api.GetBotInfo(slack.GetBotInfoParameters{Bot: o.App().BotID})
	require.NoError(t, err)
	require.Equal(t, o.App().BotUser, bot.UserID)
	require.Equal(t, o.App().ID, bot.AppID)
	_, err = o.api.GetBotInfo(slack.GetBotInfoParameters{Bot: "B404"})
	refused(t, err, "bot_not_found")
	team, err := o.api.GetTeamInfo()
	require.NoError(t, err)
	require.Equal(t, "big-corp", team.Domain)

	g := o.AddGroup(UserGroup{Handle: "leads", Users: []string{o.ada.ID}})
	groups, err := o.api.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true))
	require.NoError(t, err)
	require.Equal(t, []string{o.ada.ID}, groups[0].Users)
	require.NoError(t, o.ChangeGroup(g.ID, []string{o.ben.ID}))
	members, err := o.api.GetUserGroupMembers(g.ID)
	require.NoError(t, err)
	require.Equal(t, []string{o.ben.ID}, members)
	_, err = o.api.GetUserGroupMembers("S404")
	refused(t, err, "no_such_subteam")
}

func TestReactions(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	item := slack.NewRefToMessage(o.bugs.ID, o.say("hello", ""))
	require.NoError(t, o.api.AddReaction("eyes", item))
	refused(t, o.api.AddReaction("eyes", item), "already_reacted")
	refused(t, o.api.AddReaction("No Such", item), "invalid_name")
	refused(t, o.api.AddReaction("eyes", slack.NewRefToMessage(o.bugs.ID, "1.1")), "message_not_found")
	require.NoError(t, o.React("bugs", item.Timestamp, o.ada.ID, "eyes"))

	got, err := o.api.GetReactions(item, slack.GetReactionsParameters{})
	require.NoError(t, err)
	require.Equal(t, []slack.ItemReaction{{
		Name: "eyes", Count: 2, Users: []string{o.App().BotUser, o.ada.ID},
	}}, got.Reactions)
	require.NoError(t, o.api.RemoveReaction("eyes", item))
	refused(t, o.api.RemoveReaction("eyes", item), "no_reaction")
	require.Equal(t, []Reaction{{Name: "eyes", Users: []string{o.ada.ID}}}, o.Channel("bugs")[0].Reactions)
	require.NoError(t, o.Unreact("bugs", item.Timestamp, o.ada.ID, "eyes"))
	require.Empty(t, o.Channel("bugs")[0].Reactions)
}
