package people

import (
	"context"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
)

const (
	// memberCacheLife is how long a user is cached as a full member. The channel's member list is read each
	// time; Slack allows a hundred calls of users.info a minute.
	memberCacheLife = 5 * time.Minute
	// maxLookups limits how many users are looked up in one call.
	maxLookups = 50
)

// Outsiders reports whether a channel has a member who is not a full member of the workspace: a guest, or a
// person of another workspace that shares the channel. If anything cannot be read, it returns an error, which
// the caller has to treat as true.
func (p *Directory) Outsiders(ctx context.Context, channel string) (bool, error) {
	var info *slack.Channel
	err := p.Slack.Call(ctx, func() (err error) {
		info, err = p.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel})
		return err
	})
	if err != nil {
		return true, fmt.Errorf("conversations.info of %s: %w", channel, bot.ExplainError(err, bot.BotTokenName))
	}
	if info.IsExtShared || info.IsPendingExtShared {
		return true, nil
	}
	looks, found := 0, false
	err = p.eachMember(ctx, channel, func(user string) (done bool, err error) {
		if p.wasFullMember(user) {
			return false, nil
		}
		if looks++; looks > maxLookups {
			return true, fmt.Errorf("more than %d people of %s to look at", maxLookups, channel)
		}
		u, err := p.readUser(ctx, user)
		if err != nil {
			return true, err
		}
		found = u.IsRestricted || u.IsUltraRestricted || u.IsStranger || !p.isOwnWorkspace(u)
		if !found {
			p.noteFullMember(user)
		}
		return found, nil
	})
	return found || err != nil, err
}

func (p *Directory) wasFullMember(user string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.full[user]
	return known && time.Since(at) < memberCacheLife
}

func (p *Directory) noteFullMember(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full == nil || len(p.full) >= maxNames {
		p.full = map[string]time.Time{}
	}
	p.full[user] = time.Now()
}
