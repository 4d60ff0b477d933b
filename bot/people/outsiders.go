package people

import (
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/slack-go/slack"
)

const (
	// fullLife is how long somebody who was a full member is taken to be one. Who is in the
	// channel is read afresh each time; Slack allows a hundred looks at people a minute.
	fullLife = 5 * time.Minute
	// mostLooks is how many people are looked at in one go.
	mostLooks = 50
)

// Outsiders says whether there is anybody in a channel who is no full member of the
// workspace: a guest, or somebody of another workspace with whom the channel is shared.
// Whatever cannot be read is an error, and the caller takes it as yes.
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
		if looks++; looks > mostLooks {
			return true, fmt.Errorf("more than %d people of %s to look at", mostLooks, channel)
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
	return known && time.Since(at) < fullLife
}

func (p *Directory) noteFullMember(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full == nil || len(p.full) >= maxNames {
		p.full = map[string]time.Time{}
	}
	p.full[user] = time.Now()
}
