package people

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// archived matches the path of a permalink: the channel, and the message's ts without its point
// (https://docs.slack.dev/reference/methods/chat.getPermalink).
var archived = regexp.MustCompile(`^/archives/([A-Z0-9]{5,20})/p(\d{10})(\d{6})$`)

// timestamp matches the ts of a message.
var timestamp = regexp.MustCompile(`^\d{10}\.\d{6}$`)

// permalink returns the place of a message from the address that Slack gives to it. ok is false for another
// address.
func permalink(link string) (at workflow.Thread, ts string, ok bool) {
	u, err := url.Parse(link)
	if err != nil {
		return at, "", false
	}
	m := archived.FindStringSubmatch(u.Path)
	if m == nil {
		return at, "", false
	}
	ts = m[2] + "." + m[3]
	at = workflow.Thread{Channel: m[1], TS: ts}
	if root := u.Query().Get("thread_ts"); timestamp.MatchString(root) {
		at.TS = root
	}
	return at, ts, true
}

// Linked reads the message of a permalink for the people of a thread. It returns one that is refused, with
// the reason and what to do, unless everybody who may read the thread may read the message: it is in the same
// channel, or in a public one of this workspace.
func (d *Directory) Linked(
	ctx context.Context, thread workflow.Thread, link string,
) (workflow.LinkedMessage, error) {
	at, ts, ok := permalink(link)
	if !ok {
		return workflow.LinkedMessage{Refused: "the address names no message"}, nil
	}
	m := workflow.LinkedMessage{Thread: at, TS: ts}
	if at.Channel != thread.Channel {
		refused, err := d.refuseChannel(ctx, thread.Channel, at.Channel)
		if m.Refused = refused; refused != "" || err != nil {
			return m, err
		}
	}
	found, err := d.Slack.Replies(ctx, &slack.GetConversationRepliesParameters{
		ChannelID: at.Channel, Timestamp: at.TS, Oldest: ts, Latest: ts, Inclusive: true, Limit: 2,
	})
	switch code := bot.ErrorCode(err); {
	case code == "thread_not_found" || code == "message_not_found":
		m.Refused = "Slack does not have that message any more"
		return m, nil
	case code == "not_in_channel" || code == "channel_not_found":
		m.Refused = notThere
		return m, nil
	case err != nil:
		return m, fmt.Errorf("read the message that a link names: %w",
			bot.ExplainError(err, bot.BotTokenName))
	}
	for _, f := range found {
		if f.Timestamp == ts {
			shown := d.threadMessage(ctx, f)
			m.User = shown.User
			m.Name = shown.Name
			m.Text = shown.Text
			m.Replies = f.ReplyCount
			m.Channel = d.Readable(ctx, "<#"+at.Channel+">")
			return m, nil
		}
	}
	m.Refused = "Slack does not have that message any more"
	return m, nil
}

const notThere = "I am not in that channel: invite me there, or forward the message to this thread"

// refuseChannel returns why messages of a channel are not shown in a thread of another one, or "".
func (d *Directory) refuseChannel(ctx context.Context, here, there string) (string, error) {
	of, err := d.channel(ctx, there)
	switch code := bot.ErrorCode(err); {
	case code == "channel_not_found", err == nil && !of.IsMember:
		return notThere, nil
	case err != nil:
		return "", err
	case of.IsPrivate || of.IsIM || of.IsMpIM:
		return "it is in a private channel, and not everybody here may read that: forward the message to " +
			"this thread if they may", nil
	}
	outsiders, err := d.Outsiders(ctx, here)
	if err == nil && outsiders {
		return workflow.OutsidersThere + ": forward the message to this thread if they may read it", nil
	}
	return "", err
}

// Topic returns the topic of a channel, as Slack wrote it; it may be empty.
func (d *Directory) Topic(ctx context.Context, channel string) (string, error) {
	c, err := d.channel(ctx, channel)
	if err != nil {
		return "", err
	}
	return c.Topic.Value, nil
}

// Private reports whether a channel is private, a direct message, of two people or more, or shared with
// another workspace. An error means that it may be.
func (d *Directory) Private(ctx context.Context, channel string) (bool, error) {
	c, err := d.channel(ctx, channel)
	if err != nil {
		return true, err
	}
	return c.IsPrivate || c.IsIM || c.IsMpIM || c.IsExtShared, nil
}

// Channel looks up a channel by its id or, with a # before it, by its name. A name is looked up among the
// channels that the bot is in. found is false if there is none that the bot can see.
func (d *Directory) Channel(ctx context.Context, named string) (c workflow.Channel, found bool, err error) {
	id := named
	if name, byName := strings.CutPrefix(named, "#"); byName {
		own, err := d.Slack.OwnChannels(ctx)
		if err != nil {
			return c, false, err
		}
		if id = own[strings.ToLower(name)]; id == "" {
			return workflow.Channel{Name: name}, false, nil
		}
	}
	read, err := d.channel(ctx, id)
	if bot.ErrorCode(err) == "channel_not_found" {
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	return workflow.Channel{
		ID:       read.ID,
		Name:     mrkdwn.OneLine(read.Name, 80),
		Joined:   read.IsMember,
		Private:  read.IsPrivate || read.IsIM || read.IsMpIM || read.IsExtShared,
		Archived: read.IsArchived,
	}, true, nil
}

// Permalink returns the address of a thread in this workspace.
func (d *Directory) Permalink(t workflow.Thread) string { return t.Permalink(d.Slack.WorkspaceURL()) }

// channel reads a channel, uncached, since what is shown where is decided by it.
func (d *Directory) channel(ctx context.Context, id string) (c *slack.Channel, err error) {
	err = d.Slack.Call(ctx, func() (err error) {
		c, err = d.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: id})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("conversations.info of %s: %w", id, bot.ExplainError(err, bot.BotTokenName))
	}
	return c, nil
}
