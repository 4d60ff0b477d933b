package slacktest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func TestPostIntoAThread(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("it is broken", "")
	reply := o.post(slack.MsgOptionText("looking", false), slack.MsgOptionTS(root),
		slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType:    "agent_post",
			EventPayload: map[string]any{"key": "k1"},
		}),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	o.post(slack.MsgOptionText("a reply to a reply", false), slack.MsgOptionTS(reply))

	thread := o.Thread("bugs", root)
	require.Len(t, thread, 3)
	require.Equal(t, []string{o.ada.ID, o.App().BotUser, o.App().BotUser},
		[]string{thread[0].User, thread[1].User, thread[2].User})
	require.Equal(t, reply, thread[1].TS)
	require.Equal(t, root, thread[1].ThreadTS)
	require.Equal(t, root, thread[2].ThreadTS)
	require.Equal(t, o.App().BotID, thread[1].BotID)
	require.Equal(t, "agent_post", thread[1].Metadata.EventType)
	require.JSONEq(t, `{"key":"k1"}`, string(thread[1].Metadata.EventPayload))
	require.False(t, *thread[1].UnfurlLinks)
	require.False(t, *thread[1].UnfurlMedia)
	require.Equal(t, thread, o.Thread(o.bugs.ID, reply), "a reply's ts stands for its thread")
	require.Len(t, o.Channel("bugs"), 1)
}

func TestPostToAThreadThatIsGoneLandsInTheChannel(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	_, answer := o.raw("chat.postMessage", url.Values{
		"token":     {o.App().BotToken},
		"channel":   {o.bugs.ID},
		"text":      {"late"},
		"thread_ts": {"1600000000.000001"},
	})
	require.Equal(t, true, answer["ok"])
	require.NotContains(t, answer["message"], "thread_ts")
	require.Len(t, o.Channel("bugs"), 1)
}

func TestWherePostsAreRefused(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	elsewhere := o.AddChannel(Channel{Name: "elsewhere", Members: []string{o.ada.ID}})
	secret := o.AddChannel(Channel{Name: "secret", Kind: Private, Members: []string{o.ada.ID}})
	old := o.AddChannel(Channel{Name: "old", Archived: true, Members: []string{o.App().BotUser}})
	for channel, code := range map[string]string{
		"C404":       "channel_not_found",
		secret.ID:    "channel_not_found",
		elsewhere.ID: "not_in_channel",
		old.ID:       "is_archived",
	} {
		_, _, err := o.api.PostMessage(channel, slack.MsgOptionText("x", false))
		refused(t, err, code)
	}
	_, _, err := o.api.PostMessage(o.bugs.ID)
	refused(t, err, "no_text")
}

func TestPostToANameAndToAPerson(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	id, _, err := o.api.PostMessage("#bugs", slack.MsgOptionText("by name", false))
	require.NoError(t, err)
	require.Equal(t, o.bugs.ID, id)

	id, _, err = o.api.PostMessage(o.ada.ID, slack.MsgOptionText("psst", false))
	require.NoError(t, err)
	im, err := o.OpenIM(o.ada.ID)
	require.NoError(t, err)
	require.Equal(t, im.ID, id)
	require.Equal(t, "psst", o.Channel(im.ID)[0].Text)
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	_, answer := o.raw("chat.postMessage", url.Values{
		"token": {o.App().BotToken}, "channel": {o.bugs.ID}, "text": {strings.Repeat("é", 40_001)},
	})
	require.Equal(t, true, answer["ok"])
	require.Equal(t, "message_truncated", answer["warning"])
	sent := o.Channel("bugs")[0]
	require.Equal(t, 40_000, len([]rune(sent.Text)))

	_, _, _, err := o.api.UpdateMessage(o.bugs.ID, sent.TS,
		slack.MsgOptionText(strings.Repeat("x", 4_001), false))
	refused(t, err, "msg_too_long")
	_, _, _, err = o.api.UpdateMessage(o.bugs.ID, sent.TS,
		slack.MsgOptionText(strings.Repeat("x", 4_000), false))
	require.NoError(t, err)
}

func TestTimestampsAreUniqueAndGrow(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	last := ""
	for range 200 {
		ts := o.say("x", "")
		require.Regexp(t, `^\d{10}\.\d{6}$`, ts)
		require.Greater(t, ts, last)
		last = ts
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	section := slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, "in a block", false,
		false), nil, nil)
	ts := o.post(slack.MsgOptionText("first", false), slack.MsgOptionBlocks(section),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "e", EventPayload: map[string]any{"k": "v"}}))

	_, _, _, err := o.api.UpdateMessage(o.bugs.ID, ts, slack.MsgOptionText("second", false),
		slack.MsgOptionBlocks(section))
	require.NoError(t, err)
	m := o.Channel("bugs")[0]
	require.Equal(t, "second", m.Text)
	require.NotEmpty(t, m.Blocks)
	require.Equal(t, o.App().BotUser, m.Edited.User)

	_, _, text, err := o.api.UpdateMessage(o.bugs.ID, ts, slack.MsgOptionText("third", false))
	require.NoError(t, err)
	require.Equal(t, "third", text)
	m = o.Channel("bugs")[0]
	require.Empty(t, m.Blocks, "text without blocks drops the blocks")
	require.NotNil(t, m.Metadata, "metadata stays")
}

func TestOnlyOnesOwnMessagesCanBeChanged(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	hers := o.say("mine", "")
	_, _, _, err := o.api.UpdateMessage(o.bugs.ID, hers, slack.MsgOptionText("yours", false))
	refused(t, err, "cant_update_message")
	_, _, err = o.api.DeleteMessage(o.bugs.ID, hers)
	refused(t, err, "cant_delete_message")
	_, _, _, err = o.api.UpdateMessage(o.bugs.ID, "1600000000.000001", slack.MsgOptionText("x", false))
	refused(t, err, "message_not_found")
	_, _, err = o.api.DeleteMessage("C404", hers)
	refused(t, err, "channel_not_found")

	own := o.post(slack.MsgOptionText("oops", false))
	_, _, err = o.api.DeleteMessage(o.bugs.ID, own)
	require.NoError(t, err)
	require.Len(t, o.Channel("bugs"), 1)
}

func TestEphemeral(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	root := o.say("hello", "")
	_, err := o.api.PostEphemeral(o.bugs.ID, o.ada.ID, slack.MsgOptionText("only you", false),
		slack.MsgOptionTS(root))
	require.NoError(t, err)
	stranger := o.AddUser(User{Name: "eve"})
	_, err = o.api.PostEphemeral(o.bugs.ID, stranger.ID, slack.MsgOptionText("x", false))
	refused(t, err, "user_not_in_channel")
	require.Len(t, o.Thread("bugs", root), 1)
	private := o.Ephemeral()
	require.Len(t, private, 1)
	require.Equal(t, "only you", private[0].Text)
	require.Equal(t, root, private[0].ThreadTS)
}
