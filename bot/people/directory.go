package people

import (
	"context"
	"fmt"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

// Known looks up a user, uncached and regardless of the user's channels.
func (d *Directory) Known(ctx context.Context, user string) (workflow.Person, error) {
	u, err := d.readUser(ctx, user)
	if err != nil {
		return workflow.Person{}, err
	}
	return d.describe(u), nil
}

// Channels returns the ids of the channels of a user, uncached. Slack lists the channels that the bot shares
// with the user, and also public ones without the bot, which have no sessions.
func (d *Directory) Channels(ctx context.Context, user string) (ids []string, err error) {
	params := &slack.GetConversationsForUserParameters{
		UserID: user, Types: []string{"public_channel", "private_channel", "mpim"}, Limit: 200,
	}
	for range bot.MaxPages {
		var page []slack.Channel
		err := d.Slack.Call(ctx, func() (err error) {
			page, params.Cursor, err = d.Slack.API.GetConversationsForUserContext(ctx, params)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("users.conversations of %s: %w", user,
				bot.ExplainError(err, bot.BotTokenName))
		}
		for _, c := range page {
			ids = append(ids, c.ID)
		}
		if params.Cursor == "" {
			return ids, nil
		}
	}
	return nil, fmt.Errorf("users.conversations of %s: too many pages", user)
}
