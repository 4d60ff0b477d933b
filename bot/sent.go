package bot

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// A message can be sent to the bot without a word: by the message shortcut, on anybody's
// message and inside a thread too, or by a reaction that its channel is configured for.
// Whoever did it asks; what the message says, and who wrote it, is data. The thread that
// the message stands in is the session's.
//
// A reaction's event names the message and no more, so it is looked up before the Inbox
// gets it; an event that comes again is looked up again and found to be a duplicate. A
// reaction that is taken away again does nothing. A shortcut works where the bot is not,
// and is delivered once: whatever comes of it, whoever pressed it is told.

// sendShortcut is the callback_id of the shortcut in the manifest.
const sendShortcut = "send_to_bobbin"

// How a message was sent; the ActionID of an Incoming.
const (
	byShortcut = "shortcut"
	byReaction = "reaction"
)

// sending is the payload of either: of an interactive envelope, or of an event.
type sending struct {
	Type        jstring `json:"type"`
	CallbackID  jstring `json:"callback_id"`
	ResponseURL jstring `json:"response_url"`
	MessageTS   jstring `json:"message_ts"`
	ActionTS    jstring `json:"action_ts"`
	User        lenient[struct {
		ID     jstring `json:"id"`
		TeamID jstring `json:"team_id"`
	}] `json:"user"`
	Channel lenient[struct {
		ID   jstring `json:"id"`
		Name jstring `json:"name"`
	}] `json:"channel"`
	Message lenient[post] `json:"message"`

	EventID jstring `json:"event_id"`
	Event   lenient[struct {
		Type     jstring `json:"type"`
		User     jstring `json:"user"`
		Reaction jstring `json:"reaction"`
		ItemUser jstring `json:"item_user"`
		EventTS  jstring `json:"event_ts"`
		Item     lenient[struct {
			Type    jstring `json:"type"`
			Channel jstring `json:"channel"`
			TS      jstring `json:"ts"`
		}] `json:"item"`
	}] `json:"event"`
}

// sent is a message that somebody sent to the bot.
type sent struct {
	in      workflow.Incoming
	private bool   // a direct message or a conversation of several
	answer  string // where whoever did it is told something alone; empty: nowhere
	own     bool   // the bot's own message
}

// sent reads such a payload; false for any other, and for reactions that mean nothing here.
func (r Reader) sent(kind string, payload []byte) (s sent, ok bool) {
	var p sending
	if json.Unmarshal(payload, &p) != nil {
		return s, false
	}
	switch {
	case kind == "interactive" && p.Type == "message_action" && p.CallbackID == sendShortcut:
		s = r.byShortcut(p)
	case kind == "events_api" && p.Event.v.Type == "reaction_added":
		s, ok = r.byReaction(p)
		if !ok {
			return s, false
		}
	default:
		return s, false
	}
	s.in.Kind, s.in.Thread.Team = workflow.IncomingSent, r.Self.Team
	return s, s.in.Thread.Channel != "" && s.in.TS != "" && s.in.User != ""
}

func (r Reader) byShortcut(p sending) (s sent) {
	message := p.Message.v
	if message.TS == "" {
		message.TS = p.MessageTS
	}
	in := r.incoming(message)
	in.Value, s.own = author(message), r.wrote(message)
	in.ActionID, in.Thread.Channel = byShortcut, string(p.Channel.v.ID)
	in.User, in.UserTeam = string(p.User.v.ID), string(p.User.v.TeamID)
	in.At = at(string(p.ActionTS))
	in.EventID = strings.Join([]string{byShortcut, in.Thread.Channel, in.TS, in.User, string(p.ActionTS)}, ":")
	s.in, s.answer = in, string(p.ResponseURL)
	s.private = p.Channel.v.Name == "directmessage" || strings.HasPrefix(string(p.Channel.v.Name), "mpdm-")
	return s
}

// byReaction is without the message: the event does not tell it.
func (r Reader) byReaction(p sending) (s sent, ok bool) {
	e, item := p.Event.v, p.Event.v.Item.v
	name, _, _ := strings.Cut(string(e.Reaction), "::") // a tone of skin follows
	if item.Type != "message" || e.User == jstring(r.Self.User) || !slices.Contains(r.Reactions[string(item.Channel)], name) {
		return s, false
	}
	// The same for everything that one person does to one message.
	s.in.EventID = strings.Join([]string{byReaction, string(item.Channel), string(item.TS), string(e.User)}, ":")
	s.in.ActionID, s.in.TS, s.in.User, s.in.At = byReaction, string(item.TS), string(e.User), at(string(e.EventTS))
	s.in.Thread.Channel, s.own = string(item.Channel), e.ItemUser == jstring(r.Self.User)
	return s, !s.own
}

// author is who wrote a message: an id, or the name that a bot gave itself.
func author(p post) string {
	if p.User != "" {
		return string(p.User)
	}
	return oneLine(string(p.Username), 80)
}

func (r Reader) wrote(p post) bool {
	return p.User != "" && string(p.User) == r.Self.User || p.BotID != "" && string(p.BotID) == r.Self.BotID
}

// send hands such a message to the Inbox; false where Slack has to deliver it again.
func (l *link) send(ctx context.Context, s sent) bool {
	until := time.Now().Add(l.patience())
	within, cancel := context.WithTimeout(ctx, max(commandWithin, l.patience()))
	defer cancel()
	var err error
	if s.in.ActionID == byReaction {
		err = l.fetch(within, &s.in)
	} else if refusal := l.unfit(within, s); refusal != "" {
		l.tellAlone(ctx, s, refusal)
		return true
	}
	if err == nil {
		err = l.keep(within, s.in, until)
	}
	switch {
	case err == nil:
		return true
	case s.in.ActionID == byShortcut && ctx.Err() == nil:
		l.log.Error("could not keep a message that was sent to the bot", "channel", s.in.Thread.Channel, "err", err)
		l.tellAlone(ctx, s, l.apology(err))
		return true
	case final(err): // the message is gone, or the bot is not there any more
		l.log.Warn("a reaction to a message that cannot be read", "channel", s.in.Thread.Channel, "err", err)
		return true
	}
	l.log.Error("could not keep a reaction; Slack will deliver it again", "channel", s.in.Thread.Channel, "err", err)
	return false
}

// fetch reads the message that an event only names.
func (l *link) fetch(ctx context.Context, in *workflow.Incoming) error {
	var found []slack.Message
	err := l.Slack.patiently(ctx, func() (err error) {
		found, _, _, err = l.Slack.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{
			ChannelID: in.Thread.Channel, Timestamp: in.TS, Oldest: in.TS, Latest: in.TS, Inclusive: true, Limit: 2,
		})
		return err
	})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(found, func(m slack.Message) bool { return m.Timestamp == in.TS })
	if at < 0 {
		return slack.SlackErrorResponse{Err: "message_not_found"}
	}
	raw, err := json.Marshal(found[at].Msg)
	if err != nil {
		return err
	}
	var p post
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	read := l.reader.incoming(p)
	in.Thread.TS, in.Text, in.Value = read.Thread.TS, read.Text, author(p)
	return nil
}

// unfit says why the bot cannot take a message from there, and what to do about it.
func (l *link) unfit(ctx context.Context, s sent) string {
	if s.own {
		return "That is a message of mine. Write in its thread what you want."
	}
	var c *slack.Channel
	err := l.Slack.patiently(ctx, func() (err error) {
		c, err = l.Slack.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: s.in.Thread.Channel})
		return err
	})
	switch {
	case errorCode(err) == "channel_not_found" && s.private:
		return "I am no part of that conversation and could not answer in it. Send me the message directly, or in a channel that I am in."
	case errorCode(err) == "channel_not_found", err == nil && !c.IsMember && !c.IsIM && !c.IsMpIM:
		return "I am not in this channel, so I could not answer in it. Invite me first (/invite @" + l.Slack.self.Name + "), then send me the message again."
	case err != nil:
		l.log.Error("cannot look at the channel of a message that was sent to the bot", "channel", s.in.Thread.Channel, "err", err)
		return l.apology(err)
	}
	return ""
}

// tellAlone tells one person something: where the shortcut was used, else directly.
func (l *link) tellAlone(ctx context.Context, s sent, text string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := errors.New("no address")
	if s.answer != "" {
		err = slack.PostWebhookCustomHTTPContext(ctx, s.answer, l.Slack.cfg.HTTP, &slack.WebhookMessage{
			Text: text, ResponseType: slack.ResponseTypeEphemeral, UnfurlMedia: new(bool),
		})
	}
	if err == nil {
		return
	}
	_, _, err = l.Slack.api.PostMessageContext(ctx, s.in.User, slack.MsgOptionText(text, false), slack.MsgOptionParse(false),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	if err != nil {
		l.log.Error("could not tell somebody what became of a message that was sent to the bot", "user", s.in.User, "err", err)
	}
}
