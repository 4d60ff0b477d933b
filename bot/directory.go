package bot

import (
	"context"
	"fmt"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// Known reads afresh who a user is, whatever channel they are in.
func (p *People) Known(ctx context.Context, user string) (workflow.Person, error) {
	u, err := p.user(ctx, user)
	if err != nil {
		return workflow.Person{}, err
	}
	return p.person(u), nil
}

// Channels are those that the user and the bot are both in, read afresh. Slack also lists
// public ones without the bot, which have no sessions.
func (p *People) Channels(ctx context.Context, user string) (ids []string, err error) {
	params := &slack.GetConversationsForUserParameters{
		UserID: user, Types: []string{"public_channel", "private_channel", "mpim"}, Limit: 200,
	}
	for range maxPages {
		var page []slack.Channel
		err := p.Slack.patiently(ctx, func() (err error) {
			page, params.Cursor, err = p.Slack.api.GetConversationsForUserContext(ctx, params)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("users.conversations of %s: %w", user, p.Slack.explain(err, botTokenName))
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
