package poster

import (
	"context"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/workflow"
)

// A posting may begin a thread: its first part is a message in the channel. Nothing else of it can be posted
// before the Outbox has the ts of that, so there is only this part. If it was tried before, it is looked up
// in the channel.

// beginThread posts the first message of a new thread, unless it is in the channel, and returns its ts.
func (p *Poster) beginThread(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	parts, _ := p.style().Message(posting)
	if posting.Tried && !p.skipLookup {
		if ts, err = p.findInChannel(ctx, posting); ts != "" || err != nil {
			return ts, err
		}
	}
	return p.post(ctx, posting, parts[0])
}

// findInChannel looks for the posting among the messages of its channel since it was tried, and returns the
// ts of the oldest match or an empty string.
func (p *Poster) findInChannel(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	if err := bot.Pause(ctx, p.settle()); err != nil {
		return "", err
	}
	params := &slack.GetConversationHistoryParameters{
		ChannelID: posting.Thread.Channel, Limit: 200, IncludeAllMetadata: true,
		Oldest: fmt.Sprintf("%d.000000", posting.TriedAt.Add(-time.Hour).Unix()),
	}
	for range bot.MaxPages {
		page, err := p.Slack.History(ctx, params)
		if err != nil {
			return "", fmt.Errorf("look for it in the channel: %w", judgeRefusal(err))
		}
		for _, m := range page {
			if m.BotID == p.Slack.Self().BotID && m.Metadata.EventType == eventType &&
				m.Metadata.EventPayload["key"] == posting.Key {
				ts = m.Timestamp // the last match is the oldest, since Slack lists the newest first
			}
		}
		if params.Cursor == "" {
			break
		}
	}
	p.log().Info("looked up a posting that was tried before", "key", posting.Key, "found", ts != "")
	return ts, nil
}
