package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"
)

// Slack runs slash commands in channels only. A command opens a thread there: a message of
// the bot's says who asked for what, and to the Inbox it is as if that person had written
// it. The message comes first, since its ts is the thread; then the Inbox; then the
// acknowledgement, for which Slack waits 3 seconds.
//
// A command can come again when its acknowledgement was lost. So the message carries the
// command's trigger id as metadata, and is looked up in the channel before it is posted,
// every time: the gateway keeps no memory, and another replica may have had it before.
// The same message is the same thread, which the Inbox knows already. Where it was taken on
// two connections at the same moment, both have posted: each looks again, and the older
// message stays.

const (
	commandEvent = "bobbin_command" // the metadata's event_type
	// commandWithin leaves the acknowledgement the rest of Slack's 3 seconds.
	commandWithin = 2500 * time.Millisecond
	// commandAgain is waited before what may be under way is looked up, and doubled.
	commandAgain = 100 * time.Millisecond
)

// runCommand runs one and gives what to tell the person alone; nil when the thread says it all.
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

// beginThread makes the thread and hands the command to the Inbox. Both are tried until patience
// ends. A thread that nobody took is removed, or it would stand there without an answer;
// one that stood there before may have been taken then.
func (l *link) beginThread(ctx context.Context, c event.SlashCommand) error {
	until := time.Now().Add(l.patience())
	within, cancel := context.WithTimeout(ctx, max(commandWithin, l.patience()))
	defer cancel()
	opener := threadOpener{l.Slack, l.log, l.blind}
	ts, fresh, err := opener.open(within, c, until)
	if err != nil {
		return err
	}
	in := c.Incoming(l.Slack.Self(), ts)
	err = l.keepIncoming(within, in, until)
	if err != nil && fresh {
		opener.remove(ctx, c, ts)
	}
	return err
}

// apologise says what a person can do about a command that came to nothing.
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

// A threadOpener makes the message of a command stand in its channel, once.
type threadOpener struct {
	slack *bot.Slack
	log   *slog.Logger
	blind bool // tests only: post without looking for it
}

// open makes the command's message stand in the channel once, and gives its ts. It is
// fresh unless it stood there already.
func (o threadOpener) open(ctx context.Context, c event.SlashCommand, until time.Time) (ts string, fresh bool, err error) {
	err = bot.RetryUntil(ctx, until, commandAgain, func() (err error) {
		ts, err = o.find(ctx, c)
		if err == nil && ts == "" {
			fresh = true
			if ts, err = o.post(ctx, c); err == nil {
				ts, fresh = o.keepOldest(ctx, c, ts)
			}
		}
		// What Slack wants to hear later than there is time for is not tried again either.
		if bot.IsFinal(err) || errors.Is(err, context.DeadlineExceeded) {
			return backoff.Permanent(err)
		}
		return err
	})
	return ts, fresh, err
}

// keepOldest gives way to another connection that has posted the same command before. Where
// that cannot be found out, ours is as good as any.
func (o threadOpener) keepOldest(ctx context.Context, c event.SlashCommand, ours string) (ts string, fresh bool) {
	first, err := o.find(ctx, c)
	if err != nil || first == "" || first >= ours {
		return ours, true
	}
	o.remove(ctx, c, ours)
	return first, false
}

// find looks for the command's message among the newest of the channel, the oldest of them
// if there are several; empty when it is not there.
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
			ts = m.Timestamp // Slack tells the newest first
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

// remove removes the message of a command that came to nothing.
func (o threadOpener) remove(ctx context.Context, c event.SlashCommand, ts string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second/2)
	defer cancel()
	if _, _, err := o.slack.API.DeleteMessageContext(ctx, c.Channel, ts); err != nil {
		o.log.Warn("a command's message stands in the channel and nobody has taken it", "channel", c.Channel, "ts", ts, "err", err)
	}
}
