package people

import (
	"context"
	"fmt"
	"slices"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
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
	list, err := d.conversations(ctx, user)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids, err
}

// Shared returns the channels that both the user and the bot are in, with their names, uncached.
func (d *Directory) Shared(ctx context.Context, user string) (shared []workflow.Channel, err error) {
	theirs, err := d.conversations(ctx, user)
	if err != nil {
		return nil, err
	}
	own, err := d.Channels(ctx, d.Slack.Self().User)
	if err != nil {
		return nil, err
	}
	for _, c := range theirs {
		if slices.Contains(own, c.ID) && !c.IsMpIM && !c.IsArchived {
			name := mrkdwn.OneLine(c.Name, 80)
			shared = append(shared, workflow.Channel{ID: c.ID, Name: name, Joined: true})
		}
	}
	return shared, nil
}

// conversations returns the channels of a user.
func (d *Directory) conversations(ctx context.Context, user string) (list []slack.Channel, err error) {
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
		list = append(list, page...)
		if params.Cursor == "" {
			return list, nil
		}
	}
	return nil, fmt.Errorf("users.conversations of %s: too many pages", user)
}
