package bot

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

func TestChannelIDs(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{})
	for i := range 250 {
		o.AddChannel(slacktest.Channel{Name: fmt.Sprint("room-", i), Members: []string{o.App().BotUser}})
	}
	secret := o.AddChannel(slacktest.Channel{Name: "secret", Kind: slacktest.Private, Members: []string{o.App().BotUser}})
	o.AddChannel(slacktest.Channel{Name: "elsewhere", Members: []string{o.ada.ID}})
	ids, err := o.bot.ChannelIDs(t.Context(), []string{"C0123ABCD", "#bugs", "#secret"})
	require.NoError(t, err)
	require.Equal(t, []string{"C0123ABCD", o.bugs.ID, secret.ID}, ids)
	_, err = o.bot.ChannelIDs(t.Context(), []string{"#elsewhere"})
	require.ErrorContains(t, err, `no channel called #elsewhere: write "/invite @app" there`)

	asked := len(o.Requests("users.conversations"))
	ids, err = o.bot.ChannelIDs(t.Context(), []string{"C1"})
	require.NoError(t, err)
	require.Equal(t, []string{"C1"}, ids)
	require.Len(t, o.Requests("users.conversations"), asked)
}
