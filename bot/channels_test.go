package bot_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

func TestChannelIDs(t *testing.T) {
	t.Parallel()
	o := bottest.Open(t, slacktest.Config{})
	for i := range 250 {
		o.AddChannel(slacktest.Channel{Name: fmt.Sprint("room-", i), Members: []string{o.App().BotUser}})
	}
	secret := o.AddChannel(slacktest.Channel{
		Name:    "secret",
		Kind:    slacktest.Private,
		Members: []string{o.App().BotUser},
	})
	o.AddChannel(slacktest.Channel{Name: "elsewhere", Members: []string{o.Ada.ID}})
	ids, err := o.Bot.ChannelIDs(t.Context(), []string{"C0123ABCD", "#bugs", "#secret"})
	require.NoError(t, err)
	require.Equal(t, []string{"C0123ABCD", o.Bugs.ID, secret.ID}, ids)
	_, err = o.Bot.ChannelIDs(t.Context(), []string{"#elsewhere"})
	require.ErrorContains(t, err, `no channel called #elsewhere: write "/invite @app" there`)

	asked := len(o.Requests("users.conversations"))
	ids, err = o.Bot.ChannelIDs(t.Context(), []string{"C1"})
	require.NoError(t, err)
	require.Equal(t, []string{"C1"}, ids)
	require.Len(t, o.Requests("users.conversations"), asked)
}

// TestAStartWaitsForSlack checks that a start retries while Slack fails temporarily, and returns permanent
// errors at once.
func TestAStartWaitsForSlack(t *testing.T) {
	t.Parallel()
	o := bottest.Open(t, slacktest.Config{AppName: "bobbin"})
	for _, trouble := range []slacktest.Fault{
		{Status: 503}, {Error: "internal_error"}, {Status: 429, RetryAfter: 1},
	} {
		for _, method := range []string{"auth.test", "users.conversations"} {
			trouble.Method = method
			o.Order(trouble)
		}
		again, err := bot.Open(t.Context(), o.AppConfig())
		require.NoError(t, err)
		ids, err := again.ChannelIDs(t.Context(), []string{"#bugs"})
		require.NoError(t, err)
		require.Equal(t, []string{o.Bugs.ID}, ids)
	}
	asked := len(o.Requests("auth.test"))
	for _, wrong := range []slacktest.Fault{{Error: "token_revoked"}, {Status: 404}} {
		wrong.Method = "auth.test"
		o.Order(wrong)
		_, err := bot.Open(t.Context(), o.AppConfig())
		require.Error(t, err)
	}
	require.Len(t, o.Requests("auth.test"), asked+2)
}
