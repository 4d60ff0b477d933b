package attachment

import (
	"testing"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// fetchOffice is a fake Slack workspace with people in #bugs and the bot.
type fetchOffice struct{ *bottest.Office }

func openFetchOffice(t *testing.T, cfg slacktest.Config) *fetchOffice {
	t.Helper()
	return &fetchOffice{bottest.Open(t, cfg)}
}
