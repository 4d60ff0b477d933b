package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
)

// A person can send an existing message to the bot: by the message shortcut, on anyone's message and also
// inside threads, or by a reaction that is configured for the channel. The requester is the person who does
// it; the text and the author of the message are data. The session belongs to the thread of the message.
//
// The event of a reaction holds only the ts of the message, so the gateway reads the message before it calls
// the Inbox; a redelivered event is read again and dropped as a duplicate. Removing a reaction has no effect.
// A shortcut also works in channels where the bot is not a member. Slack delivers a shortcut only once, so
// the person is told about a failure.

// keepShared hands such a message to the Inbox; it returns false if Slack has to deliver the event again.
func (l *link) keepShared(ctx context.Context, s event.SharedMessage) bool {
	until := time.Now().Add(l.storeTimeout())
	within, cancel := context.WithTimeout(ctx, l.commandTimeout())
	defer cancel()
	var err error
	if s.In.ActionID == workflow.ByReaction {
		err = l.readSharedMessage(within, &s.In)
	} else if refusal := l.refuseChannel(within, s); refusal != "" {
		l.tellAlone(ctx, s, refusal)
		return true
	}
	if err == nil {
		err = l.keepIncoming(within, s.In, until)
	}
	switch {
	case err == nil:
		return true
	case s.In.ActionID == workflow.ByShortcut && ctx.Err() == nil:
		l.log.Error("could not keep a message that was sent to the bot",
			"channel", s.In.Thread.Channel, "err", err)
		l.tellAlone(ctx, s, l.apologise(err))
		return true
	case bot.IsFinal(err): // the message is gone, or the bot left the channel
		l.log.Warn("a reaction to a message that cannot be read", "channel", s.In.Thread.Channel, "err", err)
		return true
	}
	l.log.Error("could not keep a reaction; Slack will deliver it again",
		"channel", s.In.Thread.Channel, "err", err)
	return false
}

// readSharedMessage reads the message whose ts is in the event.
func (l *link) readSharedMessage(ctx context.Context, in *workflow.IncomingEvent) error {
	found, err := l.Slack.Replies(ctx, &slack.GetConversationRepliesParameters{
		ChannelID: in.Thread.Channel,
		Timestamp: in.TS,
		Oldest:    in.TS,
		Latest:    in.TS,
		Inclusive: true,
		Limit:     2,
	})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found, func(m bot.Message) bool { return m.Timestamp == in.TS })
	if at < 0 {
		return slack.SlackErrorResponse{Err: "message_not_found"}
	}
	read, err := l.reader.ReadMessage(found[at])
	if err != nil {
		return err
	}
	in.Thread.TS = read.Thread.TS
	in.Text = read.Text
	in.Value = read.Value
	in.Files = read.Files
	return nil
}

// refuseChannel returns why the bot cannot take a message from the channel, and what to do about it, or an
// empty string if it can.
func (l *link) refuseChannel(ctx context.Context, s event.SharedMessage) string {
	if s.Own {
		return "That is a message of mine. Write in its thread what you want."
	}
	var c *slack.Channel
	err := l.Slack.Call(ctx, func() (err error) {
		c, err = l.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{
			ChannelID: s.In.Thread.Channel,
		})
		return err
	})
	switch {
	case bot.ErrorCode(err) == "channel_not_found" && s.Private:
		return "I am no part of that conversation and could not answer in it. " +
			"Send me the message directly, or in a channel that I am in."
	case bot.ErrorCode(err) == "channel_not_found", err == nil && !c.IsMember && !c.IsIM && !c.IsMpIM:
		return "I am not in this channel, so I could not answer in it. Invite me first (/invite @" +
			l.Slack.Self().Name + "), then send me the message again."
	case err != nil:
		l.log.Error("cannot look at the channel of a message that was sent to the bot",
			"channel", s.In.Thread.Channel, "err", err)
		return l.apologise(err)
	}
	return ""
}

// tellAlone shows a text to one person: where the shortcut was used, or else in a direct message.
func (l *link) tellAlone(ctx context.Context, s event.SharedMessage, text string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := errors.New("no address")
	if s.AnswerURL != "" {
		err = slack.PostWebhookCustomHTTPContext(ctx, s.AnswerURL, l.Slack.HTTP(), &slack.WebhookMessage{
			Text: text, ResponseType: slack.ResponseTypeEphemeral, UnfurlMedia: new(bool),
		})
	}
	if err == nil {
		return
	}
	_, _, err = l.Slack.API.PostMessageContext(ctx, s.In.User, slack.MsgOptionText(text, false),
		slack.MsgOptionParse(false),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	if err != nil {
		l.log.Error("could not tell somebody what became of a message that was sent to the bot",
			"user", s.In.User, "err", err)
	}
}
