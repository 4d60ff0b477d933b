package poster

import (
	"testing"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// posterOffice is a fake Slack workspace with people in #bugs and the bot.
type posterOffice struct{ *bottest.Office }

func openPosterOffice(t *testing.T, cfg slacktest.Config) *posterOffice {
	t.Helper()
	return &posterOffice{bottest.Open(t, cfg)}
}
