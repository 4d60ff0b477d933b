package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	left := skipped{}
	err := d.Slack.ReadThread(ctx, thread, false, func(m bot.Message) {
		count++
		if m.Timestamp == thread.TS {
			root = []bot.Message{m}
			return
		}
		if replies = append(replies, m); len(replies) >= 2*newestReplies {
			d.skip(left, replies[:newestReplies])
			replies = slices.Clone(replies[newestReplies:])
		}
	})
	if err != nil {
		return nil, threadError(thread, err)
	}
	newest := max(0, len(replies)-newestReplies)
	d.skip(left, replies[:newest])
	var messages []workflow.ThreadMessage
	for _, m := range append(root, replies[newest:]...) {
		messages = append(messages, d.threadMessage(ctx, m))
	}
	n := count - len(messages)
	for i := range messages {
		messages[i].Number = i + 1
		if i >= len(root) {
			messages[i].Number += n
		}
	}
	if n > 0 {
		messages[len(root)].Skipped = n
		messages[len(root)].SkippedBy = d.writers(ctx, left)
	}
	return messages, nil
}

func threadError(thread workflow.Thread, err error) error {
	return fmt.Errorf("conversations.replies of %s in %s: %w", thread.TS, thread.Channel,
		bot.ExplainError(err, bot.BotTokenName))
}

// A writer is who posted a message: a user, or an app by the name that it gave itself.
type writer struct{ user, app string }

// skipped counts messages that are not returned, by their writers.
type skipped map[writer]int

// maxWriters is how many writers of skipped messages are counted apart and looked up by name.
const maxWriters = 100

// skip counts messages of others than this bot.
func (d *Directory) skip(left skipped, list []bot.Message) {
	for _, m := range list {
		if d.isOwn(m) {
			continue
		}
		by := writer{user: m.User}
		if m.User == "" {
			by.app = m.Username
		}
		if _, known := left[by]; !known && len(left) >= maxWriters {
			by = writer{app: "others"}
		}
		left[by]++
	}
}

// writers returns the counts by name.
func (d *Directory) writers(ctx context.Context, left skipped) map[string]int {
	names := map[string]int{}
	for by, n := range left {
		names[d.writerName(ctx, by)] += n
	}
	return names
}

// writerName returns the name of a writer other than this bot.
func (d *Directory) writerName(ctx context.Context, by writer) string {
	if by.user != "" && by.user != "USLACKBOT" {
		return d.DisplayName(ctx, by.user)
	}
	return mrkdwn.OneLine(cmp.Or(by.app, "Slack"), 80)
}

// isOwn reports whether this bot posted a message.
func (d *Directory) isOwn(m bot.Message) bool {
	self := d.Slack.Self()
	return m.User == self.User || m.BotID == self.BotID && m.BotID != ""
}

// ReadThread returns the messages that q asks for of a thread, oldest first, whoever posted them. Another
// thread, which q names by a link, is refused unless everybody who may read the thread may read that one, as
// by [Directory.Linked].
func (d *Directory) ReadThread(
	ctx context.Context, thread workflow.Thread, q workflow.ThreadQuery,
) (page workflow.ThreadPage, err error) {
	if q.Link != "" {
		at, _, ok := permalink(q.Link)
		if !ok {
			return workflow.ThreadPage{Refused: "the address names no message"}, nil
		}
		if at.Channel != thread.Channel {
			page.Refused, err = d.refuseChannel(ctx, thread.Channel, at.Channel)
			if page.Refused != "" || err != nil {
				return page, err
			}
		}
		if at.Channel != thread.Channel || at.TS != thread.TS { // a link to this thread is as none
			page.Channel = d.Readable(ctx, "<#"+at.Channel+">")
		}
		thread.Channel = at.Channel
		thread.TS = at.TS
	}
	every := len(q.Words) == 0 && q.Person == ""
	err = d.Slack.ReadThread(ctx, thread, false, func(m bot.Message) {
		page.Count++
		full := len(page.Messages) >= q.Most
		switch {
		case page.Count < q.From:
		case every && full: // not read: it is only counted
			page.Found++
		default:
			found := d.threadMessage(ctx, m)
			if !wanted(found, q) {
				return
			}
			page.Found++
			if !full {
				found.Number = page.Count
				page.Messages = append(page.Messages, found)
			}
		}
	})
	switch code := bot.ErrorCode(err); {
	case code == "thread_not_found" || code == "message_not_found":
		page.Refused = "Slack does not have that message any more"
		return page, nil
	case q.Link != "" && (code == "not_in_channel" || code == "channel_not_found"):
		page.Refused = notThere
		return page, nil
	case err != nil:
		return page, threadError(thread, err)
	}
	return page, nil
}

// wanted reports whether a query asks for a message.
func wanted(m workflow.ThreadMessage, q workflow.ThreadQuery) bool {
	if person := strings.TrimPrefix(q.Person, "@"); person != "" && m.User != person &&
		!strings.Contains(strings.ToLower(m.Name), strings.ToLower(person)) {
		return false
	}
	text := strings.ToLower(m.Text)
	return !slices.ContainsFunc(q.Words, func(word string) bool {
		return !strings.Contains(text, strings.ToLower(word))
	})
}

func (d *Directory) threadMessage(ctx context.Context, m bot.Message) workflow.ThreadMessage {
	s := workflow.ThreadMessage{
		User: m.User,
		Text: mrkdwn.Unescape(m.Text),
		TS:   m.Timestamp,
		Bot:  m.BotID != "" || m.SubType == "bot_message",
		Own:  d.isOwn(m),
	}
	if m.Edited != nil {
		s.Edited = m.Edited.Timestamp
	}
	if !s.Own {
		s.Text, s.Files = event.ReadShown(m)
	}
	s.Text = d.Readable(ctx, s.Text)
	if s.Own {
		s.Name = d.Slack.Self().Name
	} else {
		s.Name = d.writerName(ctx, writer{user: m.User, app: m.Username})
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
