package operate

import (
	"context"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/sessions"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// SlackFlag names the Slack that is asked for the names of people.
type SlackFlag struct {
	SlackURL string `from:"SLACK_API_URL" help:"A Slack API other than Slack's own ($SLACK_API_URL)." placeholder:"URL"`
}

// namesWithin is how long Slack has to name people.
const namesWithin = 10 * time.Second

// NameOf returns a function that asks Slack for the name of a person, or nil without a token. What Slack does
// not say in time stays an id.
func (f SlackFlag) NameOf(ctx context.Context, con cli.Console) func(id string) string {
	token := con.Env(secrets.SlackBotToken)
	if token == "" {
		return nil
	}
	con.Hide.Learn(token)
	d := &people.Directory{Slack: bot.Config{BotToken: token, APIURL: f.SlackURL}.Connect()}
	until := time.Now().Add(namesWithin)
	return func(id string) string {
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		return d.DisplayName(ctx, id)
	}
}

// names returns a function that names people by their ids: from the database, or else by asking Slack.
func (f SlackFlag) names(
	ctx context.Context, con cli.Console, s *store.Store,
) (func(id string) string, error) {
	return sessions.Names(ctx, s, f.NameOf(ctx, con))
}
