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
	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/bot/mrkdwn"
)

// Slack runs slash commands in channels only. A command opens a thread there: the bot posts a
// message that says who asked for what, and the Inbox gets it as if that person had written
// it. The message is posted first, since its ts is the thread; then the Inbox stores it; then
// the command is acknowledged, for which Slack waits 3 seconds.
//
// Slack may deliver a command again if its acknowledgement was lost. So the message carries
// the command's trigger id as metadata and is always looked up in the channel before it is
// posted: the gateway keeps no memory, and another replica may have received it before. The
// same message is the same thread, which the Inbox knows already. If two connections receive
// a command at the same moment, both post: each looks again, and the older message stays.

const (
	commandEvent = "bobbin_command" // the metadata's event_type
	// commandTimeout leaves the acknowledgement the rest of Slack's 3 seconds.
	commandTimeout = 2500 * time.Millisecond
	// commandRetryWait is waited before what may be under way is looked up, and doubled.
	commandRetryWait = 100 * time.Millisecond
)

// runCommand runs a command and returns an answer for the person alone; nil if the thread says it all.
func (l *link) runCommand(ctx context.Context, envelopeID string, payload []byte) any {
	c, err := l.reader.ReadCommand(envelopeID, payload)
	if err != nil {
		l.log.Warn("a command that cannot be read", "envelope", envelopeID, "err", err)
		return nil
	}
	if help := c.Help(); help != "" {
		return ephemeralAnswer(help)
	}
	if err := l.beginThread(ctx, c); err != nil {
		l.log.Error("could not begin with a command", "command", c.Name, "channel", c.Channel, "err", err)
		return ephemeralAnswer(l.apologise(err))
	}
	return nil
}

func ephemeralAnswer(text string) any {
	return map[string]any{"response_type": "ephemeral", "text": text, "unfurl_links": false, "unfurl_media": false}
}

// beginThread opens the thread and hands the command to the Inbox, and retries both until
// patience ends. A new thread that the Inbox did not store is removed, since nobody would
// answer in it; one that existed before may have been stored then.
func (l *link) beginThread(ctx context.Context, c event.SlashCommand) error {
	until := time.Now().Add(l.patience())
	within, cancel := context.WithTimeout(ctx, max(commandTimeout, l.patience()))
	defer cancel()
	opener := threadOpener{l.Slack, l.log, l.blind}
	ts, fresh, err := opener.open(within, c, until)
	if err != nil {
		return err
	}
	in := c.Event(l.Slack.Self(), ts)
	err = l.keepIncoming(within, in, until)
	if err != nil && fresh {
		opener.remove(ctx, c, ts)
	}
	return err
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
	return "That did not work: something I need is away. Please try again in a moment."
}

// A threadOpener posts the message of a command in its channel, once.
type threadOpener struct {
	slack *bot.Slack
	log   *slog.Logger
	blind bool // tests only: post without looking for it
}

// open posts the command's message unless it is there already, and returns its ts and
// whether it is new.
func (o threadOpener) open(ctx context.Context, c event.SlashCommand, until time.Time) (ts string, fresh bool, err error) {
	err = bot.RetryUntil(ctx, until, commandRetryWait, func() (err error) {
		ts, err = o.find(ctx, c)
		if err == nil && ts == "" {
			fresh = true
			if ts, err = o.post(ctx, c); err == nil {
				ts, fresh = o.keepOldest(ctx, c, ts)
			}
		}
		// A rate limit that outlasts the time that is left is not waited for.
		if bot.IsFinal(err) || errors.Is(err, context.DeadlineExceeded) {
			return backoff.Permanent(err)
		}
		return err
	})
	return ts, fresh, err
}

// keepOldest removes our message if another connection posted the same command before. If
// that cannot be looked up, ours stays.
func (o threadOpener) keepOldest(ctx context.Context, c event.SlashCommand, ours string) (ts string, fresh bool) {
	first, err := o.find(ctx, c)
	if err != nil || first == "" || first >= ours {
		return ours, true
	}
	o.remove(ctx, c, ours)
	return first, false
}

// find returns the ts of the command's message, the oldest one if there are several, among
// the newest messages of the channel; empty if it is not there.
func (o threadOpener) find(ctx context.Context, c event.SlashCommand) (ts string, err error) {
	if o.blind {
		return "", nil
	}
	var history *slack.GetConversationHistoryResponse
	err = o.slack.Call(ctx, func() error {
		history, err = o.slack.API.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: c.Channel, Limit: 200, IncludeAllMetadata: true,
		})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look for it in the channel: %w", err)
	}
	for _, m := range history.Messages {
		if m.BotID == o.slack.Self().BotID && m.Metadata.EventType == commandEvent && m.Metadata.EventPayload["key"] == c.Key {
			ts = m.Timestamp // Slack lists the newest first
		}
	}
	return ts, nil
}

func (o threadOpener) post(ctx context.Context, c event.SlashCommand) (ts string, err error) {
	err = o.slack.Call(ctx, func() error {
		_, ts, err = o.slack.API.PostMessageContext(ctx, c.Channel,
			slack.MsgOptionText(c.RootText(), false), slack.MsgOptionParse(false),
			slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: commandEvent, EventPayload: map[string]any{"key": c.Key}}))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("post it: %w", err)
	}
	return ts, nil
}

// remove deletes the message of a command that failed.
func (o threadOpener) remove(ctx context.Context, c event.SlashCommand, ts string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second/2)
	defer cancel()
	if _, _, err := o.slack.API.DeleteMessageContext(ctx, c.Channel, ts); err != nil {
		o.log.Warn("a command's message stands in the channel and nobody has taken it", "channel", c.Channel, "ts", ts, "err", err)
	}
}
