package bot

import (
	"context"
	"encoding/json"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// MaxPages limits how many pages of a long list are read: 200,000 members or 50,000 replies.
const MaxPages = 200

// A Message is a message as Slack returns it, with its JSON: slack-go leaves out fields that it does not
// know.
type Message struct {
	slack.Message
	Raw json.RawMessage // may be empty
}

// Replies reads one page of conversations.replies, and sets the cursor for the next one; it is empty after
// the last. It waits as Call does.
func (s *Slack) Replies(
	ctx context.Context, params *slack.GetConversationRepliesParameters,
) (page []Message, err error) {
	var body ResponseBody
	var read []slack.Message
	next := ""
	err = s.Call(ctx, func() (err error) {
		read, _, next, err = s.API.GetConversationRepliesContext(body.CaptureIn(ctx), params)
		return err
	})
	if err == nil {
		params.Cursor = next
	}
	return body.pair(read), err
}

// History reads one page of conversations.history, newest first, and sets the cursor for the next one; it is
// empty after the last. It waits as Call does.
func (s *Slack) History(
	ctx context.Context, params *slack.GetConversationHistoryParameters,
) (page []Message, err error) {
	var body ResponseBody
	var read *slack.GetConversationHistoryResponse
	err = s.Call(ctx, func() (err error) {
		read, err = s.API.GetConversationHistoryContext(body.CaptureIn(ctx), params)
		return err
	})
	if err != nil {
		return nil, err
	}
	params.Cursor = read.ResponseMetaData.NextCursor
	return body.pair(read.Messages), nil
}

// pair returns the messages of a page with their JSON from the captured response.
func (r *ResponseBody) pair(read []slack.Message) []Message {
	var answer struct {
		Messages []json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(r.body.Bytes(), &answer) // slack-go has read the same
	page := make([]Message, len(read))
	for i, m := range read {
		page[i].Message = m
		if len(answer.Messages) == len(read) {
			page[i].Raw = answer.Messages[i]
		}
	}
	return page
}

// ReadThread calls each with every message of a thread, oldest first, including the root. It stops after
// MaxPages pages.
func (s *Slack) ReadThread(
	ctx context.Context, thread workflow.Thread, metadata bool, each func(Message),
) error {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: thread.Channel, Timestamp: thread.TS, Limit: 250, IncludeAllMetadata: metadata,
	}
	for range MaxPages {
		page, err := s.Replies(ctx, params)
		if err != nil {
			return err
		}
		for _, m := range page {
			each(m)
		}
		if params.Cursor == "" {
			return nil
		}
	}
	return nil
}
