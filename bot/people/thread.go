package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// newestReplies is how many replies of a long thread are returned, in addition to its root.
const newestReplies = 200

// Earlier returns the messages of a thread, oldest first: its root and the newest 200 replies.
func (d *Directory) Earlier(ctx context.Context, thread workflow.Thread) ([]workflow.ThreadMessage, error) {
	var root []bot.Message
	var replies []bot.Message
	count := 0
	err := d.Slack.ReadThread(ctx, thread, false, func(m bot.Message) {
		if m.Timestamp == thread.TS {
			root = []bot.Message{m}
			return
		}
		count++
		if replies = append(replies, m); len(replies) >= 2*newestReplies {
			replies = slices.Clone(replies[newestReplies:])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("conversations.replies of %s in %s: %w", thread.TS, thread.Channel,
			bot.ExplainError(err, bot.BotTokenName))
	}
	var messages []workflow.ThreadMessage
	for _, m := range append(root, replies[max(0, len(replies)-newestReplies):]...) {
		messages = append(messages, d.threadMessage(ctx, m))
	}
	if n := count - newestReplies; n > 0 {
		messages[len(root)].Skipped = n
	}
	return messages, nil
}

func (d *Directory) threadMessage(ctx context.Context, m bot.Message) workflow.ThreadMessage {
	self := d.Slack.Self()
	s := workflow.ThreadMessage{
		User: m.User,
		Text: mrkdwn.Unescape(m.Text),
		TS:   m.Timestamp,
		Bot:  m.BotID != "" || m.SubType == "bot_message",
		Own:  m.User == self.User || m.BotID == self.BotID && m.BotID != "",
	}
	if m.Edited != nil {
		s.Edited = m.Edited.Timestamp
	}
	if !s.Own {
		s.Text, s.Files = event.ReadShown(m)
	}
	s.Text = d.Readable(ctx, s.Text)
	switch {
	case s.Own:
		s.Name = self.Name
	case m.User != "" && m.User != "USLACKBOT":
		s.Name = d.DisplayName(ctx, m.User)
	default:
		s.Name = mrkdwn.OneLine(cmp.Or(m.Username, "Slack"), 80)
	}
	return s
}

// Reread reads a message of a thread again, since an event may lack what was shared with the message. It
// returns false if the message does not exist.
func (d *Directory) Reread(
	ctx context.Context, thread workflow.Thread, ts string,
) (text string, files []workflow.Attachment, found bool, err error) {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: thread.Channel,
		Timestamp: thread.TS,
		Oldest:    ts,
		Latest:    ts,
		Inclusive: true,
		Limit:     10,
	}
	list, err := d.Slack.Replies(ctx, params)
	if err != nil {
		return "", nil, false, fmt.Errorf("conversations.replies of %s in %s: %w", ts, thread.Channel,
			bot.ExplainError(err, bot.BotTokenName))
	}
	for _, m := range list {
		if m.Timestamp == ts {
			in, err := event.Reader{Self: d.Slack.Self()}.ReadMessage(m)
			return in.Text, in.Files, err == nil, err
		}
	}
	return "", nil, false, nil
}

// Reactions returns the reactions to a message of the thread's channel with everybody who reacted, as
// reactions.get does with full, and none if the message does not exist. An app without the scope
// reactions:read gets no reactions, here either.
func (d *Directory) Reactions(
	ctx context.Context, thread workflow.Thread, ts string,
) ([]workflow.Reaction, error) {
	item := slack.NewRefToMessage(thread.Channel, ts)
	var list slack.ReactedItem
	err := d.Slack.Call(ctx, func() (err error) {
		list, err = d.Slack.API.GetReactionsContext(ctx, item, slack.GetReactionsParameters{Full: true})
		return err
	})
	if code := bot.ErrorCode(err); code == "message_not_found" || code == "missing_scope" {
		return nil, nil
	}
	if err != nil {
		err = bot.ExplainError(err, bot.BotTokenName)
		return nil, fmt.Errorf("reactions.get of %s in %s: %w", ts, thread.Channel, err)
	}
	var reactions []workflow.Reaction
	for _, r := range list.Reactions {
		reactions = append(reactions, workflow.Reaction{Name: event.EmojiName(r.Name), Users: r.Users})
	}
	return reactions, nil
}
