package bot_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := bottest.Open(t, slacktest.Config{})
	require.Equal(t, bot.Self{
		Team:     o.App().TeamID,
		TeamName: "Acme",
		User:     o.App().BotUser,
		BotID:    o.App().BotID,
		Name:     "app",
	}, o.Bot.Self())
	for cure, change := range map[string]func(*bot.Config){
		"set SLACK_BOT_TOKEN":                 func(c *bot.Config) { c.BotToken = "" },
		"SLACK_BOT_TOKEN has to begin with x": func(c *bot.Config) { c.BotToken = c.AppToken },
		"set SLACK_APP_TOKEN":                 func(c *bot.Config) { c.AppToken = "" },
		"SLACK_APP_TOKEN has to begin with x": func(c *bot.Config) { c.AppToken = "xoxb-1" },
		"SLACK_BOT_TOKEN is not valid":        func(c *bot.Config) { c.BotToken = "xoxb-wrong" },
		"SLACK_API_URL has to be an http":     func(c *bot.Config) { c.APIURL = "slack.com/api" },
		"check SLACK_API_URL": func(c *bot.Config) {
			c.APIURL = strings.TrimSuffix(c.APIURL, "api/") + "nowhere/"
		},
	} {
		cfg := o.AppConfig()
		change(&cfg)
		_, err := bot.Open(t.Context(), cfg)
		var refused *bot.AuthError
		require.ErrorAs(t, err, &refused, cure)
		require.Contains(t, err.Error(), cure)
		require.NotContains(t, err.Error(), "xoxb-wrong")
	}
	cfg := o.AppConfig()
	cfg.APIURL = "http://127.0.0.1:1/api"
	_, err := bot.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "ask Slack who the bot is")
}
