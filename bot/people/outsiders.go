package people

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot"
)

const (
	// memberCacheLife is how long a user is cached as a full member, at most; it differs between users by
	// up to a half, so that those of a large channel are not all looked up again at once. The channel's
	// member list is read each time.
	memberCacheLife = time.Hour
	// lookupsAtOnce limits how many users are looked up concurrently, and lookupTime how long a channel's
	// members are looked up: Slack allows a hundred calls of users.info a minute. Those who were found to be
	// full members until then are cached, so the next call gets further.
	lookupsAtOnce = 8
	lookupTime    = time.Minute
)

// errOutsider ends the lookups of a channel's members: one of them is not a full member.
var errOutsider = errors.New("not a full member")

// Outsiders reports whether a channel has a member who is not a full member of the workspace: a guest, or a
// person of another workspace that shares the channel. If anything cannot be read, it returns an error, which
// the caller has to treat as true.
func (d *Directory) Outsiders(ctx context.Context, channel string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var info *slack.Channel
	err := d.Slack.Call(ctx, func() (err error) {
		info, err = d.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{
			ChannelID: channel,
		})
		return err
	})
	if err != nil {
		return true, fmt.Errorf("conversations.info of %s: %w", channel,
			bot.ExplainError(err, bot.BotTokenName))
	}
	if info.IsExtShared || info.IsPendingExtShared {
		return true, nil
	}
	members, err := d.Members(ctx, channel)
	if err != nil {
		return true, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lookupsAtOnce)
	for _, user := range members {
		if d.wasFullMember(user) {
			continue
		}
		group.Go(func() error { return d.lookUpMember(ctx, user) })
	}
	if err = group.Wait(); errors.Is(err, errOutsider) {
		return true, nil
	}
	return err != nil, err
}

// lookUpMember caches the user as a full member. It returns errOutsider if the user is none.
func (d *Directory) lookUpMember(ctx context.Context, user string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	u, err := d.readUser(ctx, user)
	if err != nil {
		return err
	}
	if u.IsRestricted || u.IsUltraRestricted || u.IsStranger || !d.isOwnWorkspace(u) {
		return errOutsider
	}
	d.noteFullMember(user)
	return nil
}

func (d *Directory) wasFullMember(user string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Before(d.full[user])
}

func (d *Directory) noteFullMember(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full == nil || len(d.full) >= maxNames {
		d.full = map[string]time.Time{}
	}
	d.full[user] = time.Now().Add(memberCacheLife - rand.N(memberCacheLife/2))
}
