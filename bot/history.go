package bot

import (
	"context"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// MaxPages bounds what is read of a long list: 200,000 members, 50,000 replies.
const MaxPages = 200

// ReadThread gives each message of a thread, oldest first, its root being the first.
func (s *Slack) ReadThread(ctx context.Context, ReadThread workflow.Thread, metadata bool, each func(slack.Message)) error {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: ReadThread.Channel, Timestamp: ReadThread.TS, Limit: 250, IncludeAllMetadata: metadata,
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
