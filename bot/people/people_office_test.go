package people

import (
	"testing"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// peopleOffice is a fake Slack workspace with people in #bugs and the bot.
type peopleOffice struct{ *bottest.Office }

func openPeopleOffice(t *testing.T, cfg slacktest.Config) *peopleOffice {
	t.Helper()
	return &peopleOffice{bottest.Open(t, cfg)}
}
