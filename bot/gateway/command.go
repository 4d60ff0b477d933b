package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// Slack runs slash commands only in channels. A command opens a thread there: the gateway posts a message
// that says who asked for what, and the Inbox stores the command as if that person had written the message.
// The order is fixed: first the post, since its ts identifies the thread, then the commit in the Inbox, then
// the acknowledgement, for which Slack waits 3 seconds.
//
// Slack may deliver a command again if its acknowledgement was lost. So the message carries the command's
// trigger id as metadata, and is always looked up in the channel before it is posted: the gateway keeps no
// memory, and another replica may have handled the command before. The same message means the same thread,
// which the Inbox already knows. If two connections receive a command at the same moment, both post, then
// look again, and only the older message stays.

const (
	commandEvent = "bobbin_command" // event_type of the metadata
	// commandRetryWait is the wait before the first retry; it doubles with each retry.
	commandRetryWait = 100 * time.Millisecond
)

// runCommand runs a command and returns an answer that only the person sees, or nil if the thread is answer
// enough.
func (l *link) runCommand(ctx context.Context, envelopeID string, payload []byte) any {
	c, err := l.reader.ReadCommand(envelopeID, payload)
	if err != nil {
		l.log.Warn("a command that cannot be read", "envelope", envelopeID, "err", err)
		return nil
	}
	if c.Name == event.Bobbin && l.Commands != nil {
		return l.runBobbin(ctx, c, payload)
	}
	if help := c.Help(); help != "" {
		return ephemeralAnswer(help)
	}
	if _, err := l.beginThread(ctx, c); err != nil {
		l.log.Error("could not begin with a command", "command", c.Name, "channel", c.Channel, "err", err)
		return ephemeralAnswer(l.apologise(err))
	}
	return nil
}

func ephemeralAnswer(text string) any {
	return map[string]any{
		"response_type": "ephemeral",
		"text":          text,
		"unfurl_links":  false,
		"unfurl_media":  false,
	}
}

// beginThread opens the thread, hands the command to the Inbox, and returns the thread. It retries both until
// patience ends, and removes a new thread that the Inbox did not store, since no session would answer there.
// A thread that existed before stays, since the Inbox may have stored it then.
func (l *link) beginThread(ctx context.Context, c event.SlashCommand) (workflow.Thread, error) {
	until := time.Now().Add(l.storeTimeout())
	within, cancel := context.WithTimeout(ctx, l.commandTimeout())
	defer cancel()
	opener := threadOpener{l.Slack, l.log, l.removalTimeout(), l.skipLookup}
	ts, fresh, err := opener.open(within, c, until)
	if err != nil {
		return workflow.Thread{}, err
	}
	in := c.Event(l.Slack.Self(), ts)
	err = l.keepIncoming(within, in, until)
	if err != nil && fresh {
		opener.remove(ctx, c, ts)
	}
	return in.Thread, err
}

// apologise returns what a person can do about a command that failed.
func (l *link) apologise(err error) string {
	var refused *bot.AuthError
	switch code := bot.ErrorCode(err); {
	case code == "not_in_channel", code == "channel_not_found":
		return "I am not in this channel. Invite me first: /invite @" + l.Slack.Self().Name
	case errors.As(bot.ExplainError(err, bot.BotTokenName), &refused):
		return "I cannot do that here. " + mrkdwn.Escape(refused.Error())
	case bot.IsFinal(err):
		return "Slack does not let me write here (" + mrkdwn.Escape(code) + ")."
	}
	return away
}

// A threadOpener posts the message of a command in its channel once.
type threadOpener struct {
	slack   *bot.Slack
	log     *slog.Logger
	removal time.Duration // limit for removing a message
	blind   bool          // tests only: post without looking up the message
}

// open posts the command's message unless it is already in the channel, and returns its ts and whether it is
// new.
func (t threadOpener) open(
	ctx context.Context, c event.SlashCommand, until time.Time,
) (ts string, fresh bool, err error) {
	err = bot.RetryUntil(ctx, until, commandRetryWait, func() (err error) {
		ts, err = t.find(ctx, c)
		if err == nil && ts == "" {
			fresh = true
			if ts, err = t.post(ctx, c); err == nil {
				ts, fresh = t.keepOldest(ctx, c, ts)
			}
		}
		// A rate limit that lasts longer than the remaining time is not waited for.
		if bot.IsFinal(err) || errors.Is(err, context.DeadlineExceeded) {
			return backoff.Permanent(err)
		}
		return err
	})
	return ts, fresh, err
}

// keepOldest removes our message if another connection posted the same command before. If the look-up fails,
// our message stays.
func (t threadOpener) keepOldest(
	ctx context.Context, c event.SlashCommand, ours string,
) (ts string, fresh bool) {
	first, err := t.find(ctx, c)
	if err != nil || first == "" || first >= ours {
		return ours, true
	}
	t.remove(ctx, c, ours)
	return first, false
}

// find looks for the command's message among the newest 200 messages of the channel, and returns the ts of
// the oldest match or an empty string.
func (t threadOpener) find(ctx context.Context, c event.SlashCommand) (ts string, err error) {
	if t.blind {
		return "", nil
	}
	var history *slack.GetConversationHistoryResponse
	err = t.slack.Call(ctx, func() error {
		history, err = t.slack.API.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: c.Channel, Limit: 200, IncludeAllMetadata: true,
		})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look for it in the channel: %w", err)
	}
	for _, m := range history.Messages {
		if m.BotID == t.slack.Self().BotID && m.Metadata.EventType == commandEvent &&
			m.Metadata.EventPayload["key"] == c.Key {
			ts = m.Timestamp // the last match is the oldest, since Slack lists the newest first
		}
	}
	return ts, nil
}

func (t threadOpener) post(ctx context.Context, c event.SlashCommand) (ts string, err error) {
	err = t.slack.Call(ctx, func() error {
		_, ts, err = t.slack.API.PostMessageContext(ctx, c.Channel,
			slack.MsgOptionText(c.RootText(), false), slack.MsgOptionParse(false),
			slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
			slack.MsgOptionMetadata(slack.SlackMetadata{
				EventType:    commandEvent,
				EventPayload: map[string]any{"key": c.Key},
			}))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("post it: %w", err)
	}
	return ts, nil
}

// remove deletes the message of a command that failed.
func (t threadOpener) remove(ctx context.Context, c event.SlashCommand, ts string) {
	ctx, cancel := context.WithTimeout(ctx, t.removal)
	defer cancel()
	if _, _, err := t.slack.API.DeleteMessageContext(ctx, c.Channel, ts); err != nil {
		t.log.Warn("a command's message stands in the channel and nobody has taken it", "channel", c.Channel,
			"ts", ts, "err", err)
	}
}
