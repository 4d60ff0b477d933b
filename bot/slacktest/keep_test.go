package slacktest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

func TestKeptWorkspaceGoesOn(t *testing.T) {
	t.Parallel()
	first := slacktest.New(slacktest.Config{AppName: "bobbin"})
	t.Cleanup(first.Close)
	ann := first.AddUser(slacktest.User{Name: "ann"}).ID
	ch := first.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{ann, first.App().BotUser}}).ID
	root, err := first.Say(ch, ann, first.Mention()+" it is broken", "")
	require.NoError(t, err)
	_, err = first.Say(ch, ann, "very", root)
	require.NoError(t, err)
	require.NoError(t, first.React(ch, root, ann, "eyes"))
	kept, err := first.Keep()
	require.NoError(t, err)

	second, err := slacktest.Listen(slacktest.Config{BotToken: "xoxb-other", Kept: kept})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	require.Equal(t, first.ExportText(ch, root), second.ExportText(ch, root))
	require.Equal(t, first.Mention(), second.Mention())
	require.Equal(t, "xoxb-other", second.App().BotToken)
	require.Equal(t, first.Events(), second.Events())
	again, err := second.Keep()
	require.NoError(t, err)
	require.Contains(t, string(again), root)

	ts, err := second.Say(ch, ann, "still", root)
	require.NoError(t, err)
	require.Greater(t, ts, root)
	require.NotContains(t, first.Events(), second.Events()[len(second.Events())-1], "ids go on")
	require.NoError(t, second.Redeliver(first.Events()[0]))

	_, err = slacktest.Listen(slacktest.Config{Kept: []byte("nonsense")})
	require.ErrorContains(t, err, "not what Keep gave")
}
