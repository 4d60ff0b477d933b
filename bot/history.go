package bot

import (
	"context"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// MaxPages limits how many pages of a long list are read: 200,000 members or 50,000 replies.
const MaxPages = 200

// ReadThread calls each with every message of a thread, oldest first, including the root. It stops after
// MaxPages pages.
func (s *Slack) ReadThread(
	ctx context.Context, thread workflow.Thread, metadata bool, each func(slack.Message),
) error {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: thread.Channel, Timestamp: thread.TS, Limit: 250, IncludeAllMetadata: metadata,
	}
	for range MaxPages {
		var page []slack.Message
		var next string
		err := s.Call(ctx, func() (err error) {
			page, _, next, err = s.API.GetConversationRepliesContext(ctx, params)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range page {
			each(m)
		}
		if next == "" {
			return nil
		}
		params.Cursor = next
	}
	return nil
}
