package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// A Reader translates Slack payloads. It reads only the payload: the Inbox finds out whether a thread has a
// session and whether the event is a duplicate.
type Reader struct {
	Self  bot.Self
	Watch []string // ids of channels in which a message needs no mention
	// Reactions holds the emoji names that send a message to the bot, by channel id.
	Reactions map[string][]string
	Feeds     []workflow.Feed // channels in which messages of apps are read as reports
	Words     intent.Lexicon  // words that stop work; the zero value has the built-in ones
}

// Normalise translates the payload of an envelope of that type (events_api, interactive). If the bot ignores
// the payload, it returns false and the reason.
//
// Slack sends two events for one mention; both become the same workflow.IncomingEvent except for the EventID.
// Presses of a button that Slack reports with the same action_ts become the same event.
func (r Reader) Normalise(
	envelopeType string, payload []byte,
) (in workflow.IncomingEvent, ok bool, reason string) {
	switch envelopeType {
	case "events_api":
		var callback eventCallback
		if err := json.Unmarshal(payload, &callback); err != nil {
			return in, false, "not JSON: " + err.Error()
		}
		callback.raw = payload
		in, reason = r.readEvent(callback)
	case "interactive":
		var p blockActions
		if err := json.Unmarshal(payload, &p); err != nil {
			return in, false, "not JSON: " + err.Error()
		}
		in, reason = r.readPress(p)
	default:
		reason = fmt.Sprintf("envelope of type %q", envelopeType)
	}
	return in, reason == "", reason
}

func (r Reader) readEvent(c eventCallback) (workflow.IncomingEvent, string) {
	e := c.Event.v
	switch {
	case c.EventID == "":
		return workflow.IncomingEvent{}, "an event without an id"
	case e.Type == reactionAdded, e.Type == reactionRemoved:
		return r.readReacted(c)
	case e.Type != "message" && e.Type != "app_mention":
		return workflow.IncomingEvent{}, fmt.Sprintf("event of type %q", e.Type)
	case e.Channel == "":
		return workflow.IncomingEvent{}, "a message without a channel"
	}
	var in workflow.IncomingEvent
	var reason string
	switch e.Subtype {
	case "message_changed":
		in, reason = r.readChanged(c, e)
	case "message_deleted":
		in, reason = r.readDeleted(c, e)
	case "", "file_share", "thread_broadcast", "me_message", "bot_message":
		in, reason = r.readWritten(c, e)
	default:
		reason = fmt.Sprintf("message of subtype %q", e.Subtype)
	}
	in.EventID = string(c.EventID)
	in.Thread.Team = r.Self.Team
	in.Thread.Channel = string(e.Channel)
	return in, reason
}

// readWritten translates a new message.
func (r Reader) readWritten(c eventCallback, e event) (workflow.IncomingEvent, string) {
	reason := r.notAPerson(c, e.post)
	if reason != "" && reason != anotherBot {
		return workflow.IncomingEvent{}, reason
	}
	if reason == anotherBot {
		if in, ignored := r.readAlert(c, e); ignored == "" || !r.addresses(e) {
			return in, ignored
		}
	}
	if e.TS == "" {
		return workflow.IncomingEvent{}, "a message without a ts"
	}
	in := r.newIncoming(e.post)
	in.At = ParseTS(string(e.TS))
	if reason == anotherBot {
		return r.readThroughApp(in, e)
	}
	switch {
	case e.Type == "app_mention" && e.Edited.v != nil: // in a thread of the bot, message_changed tells it
		in.Kind = workflow.MessageSent
		in.ActionID = workflow.ByEdit
		in.Value = in.User
	case e.Type == "app_mention", e.ChannelType == "im", r.mentionsBot(e.Text):
		in.Kind = workflow.MessageMention
	case e.ThreadTS != "" && e.ThreadTS != e.TS, slices.Contains(r.Watch, string(e.Channel)):
		in.Kind = workflow.MessageReply
	default:
		return in, "a message in a channel, to nobody"
	}
	if in.Text == "" && in.Kind == workflow.MessageReply {
		return in, "a message without words"
	}
	if in.Kind == workflow.MessageReply && in.TS == in.Thread.TS && r.isClipAlone(e.post, in.Files) {
		return in, "a clip alone, to nobody"
	}
	return in, ""
}

// isClipAlone reports whether somebody posted clips without a word: in a watched channel that asks for
// nothing.
func (r Reader) isClipAlone(p post, files []workflow.Attachment) bool {
	return len(files) > 0 && r.ownWords(p) == "" && len(p.Attachments.v) == 0 &&
		!slices.ContainsFunc(files, func(a workflow.Attachment) bool { return !a.Clip() })
}

// readChanged translates an edit. Slack also sends this event when it adds a link preview, and when a deleted
// root message stays as a tombstone above its replies.
func (r Reader) readChanged(c eventCallback, e event) (workflow.IncomingEvent, string) {
	now := e.Message.v
	before := e.Previous.v
	if now == nil || now.TS == "" {
		return workflow.IncomingEvent{}, "an edit without its message"
	}
	if now.Subtype == "tombstone" {
		if before == nil {
			before = &post{}
		}
		before.TS = now.TS
		before.ThreadTS = cmp.Or(now.ThreadTS, before.ThreadTS)
		return r.readGone(c, e, *before)
	}
	if reason := r.notAPerson(c, *now); reason != "" {
		return workflow.IncomingEvent{}, "an edit of " + reason
	}
	in := r.newIncoming(*now)
	if before != nil && r.saysTheSame(*before, *now) {
		if in.Text = addedBelow(*before, *now); in.Text == "" {
			return in, "an edit that changed no words"
		}
		in.Kind = workflow.MessagePreview
		in.At = ParseTS(string(e.EventTS))
		return in, ""
	}
	if now.Edited.v != nil && now.Edited.v.User != "" {
		in.User = string(now.Edited.v.User)
	}
	in.Kind = workflow.MessageEdit
	in.At = ParseTS(string(e.EventTS))
	return in, ""
}

// saysTheSame reports whether two versions of a message have the same text and the same blocks, such as
// tables. Previews and files count for nothing.
func (r Reader) saysTheSame(before, now post) bool {
	return r.ownWords(before) == r.ownWords(now) && slices.Equal(before.shown().Lines, now.shown().Lines)
}

// readDeleted translates the deletion of a message.
func (r Reader) readDeleted(c eventCallback, e event) (workflow.IncomingEvent, string) {
	if e.DeletedTS == "" {
		return workflow.IncomingEvent{}, "a deletion without a ts"
	}
	before := post{}
	if e.Previous.v != nil {
		before = *e.Previous.v
	}
	before.TS = e.DeletedTS
	return r.readGone(c, e, before)
}

func (r Reader) readGone(c eventCallback, e event, before post) (workflow.IncomingEvent, string) {
	if before.User != "" || before.BotID != "" {
		if reason := r.notAPerson(c, before); reason != "" {
			return workflow.IncomingEvent{}, "the deletion of " + reason
		}
	}
	in := r.newIncoming(before)
	in.Kind = workflow.MessageDelete
	in.Text = ""
	in.At = ParseTS(string(e.EventTS))
	return in, ""
}

// newIncoming sets the fields that all messages have in common.
func (r Reader) newIncoming(p post) workflow.IncomingEvent {
	return workflow.IncomingEvent{
		Thread: workflow.Thread{TS: string(cmp.Or(p.ThreadTS, p.TS))},
		TS:     string(p.TS), User: string(p.User), UserTeam: string(cmp.Or(p.UserTeam, p.Team)),
		Text: r.readWords(p), Files: sharedFiles(p),
	}
}

const anotherBot = "a bot's message"

// notAPerson returns why the author of a message is not a person, or an empty string if it is one.
func (r Reader) notAPerson(c eventCallback, p post) string {
	switch {
	case string(p.User) == r.Self.User && p.User != "", string(p.BotID) == r.Self.BotID && p.BotID != "",
		p.AppID == c.APIAppID && p.AppID != "":
		return "our own message"
	case p.BotID != "", p.Subtype == "bot_message":
		return anotherBot
	case p.User == "", p.User == "USLACKBOT":
		return "a message of Slack's own"
	}
	return ""
}

// readPress translates a button press or a choice in a menu.
func (r Reader) readPress(p blockActions) (workflow.IncomingEvent, string) {
	if p.Type != "block_actions" {
		return workflow.IncomingEvent{}, fmt.Sprintf("interaction of type %q", p.Type)
	}
	container := p.Container.v
	channel := cmp.Or(p.Container.v.ChannelID, p.Channel.v.ID)
	if len(p.Actions.v) == 0 || container.MessageTS == "" || channel == "" || p.User.v.ID == "" {
		return workflow.IncomingEvent{}, "a press that belongs to no message"
	}
	a := p.Actions.v[0]
	id, _, _ := strings.Cut(string(a.ActionID), ActionSuffix)
	value := string(cmp.Or(a.Value, a.Selected.v.Value))
	if id == MenuAction {
		id, value, _ = strings.Cut(value, " ")
	}
	return workflow.IncomingEvent{
		EventID: strings.Join([]string{
			"press", string(channel), string(container.MessageTS), string(a.ActionID), string(p.User.v.ID),
			string(a.ActionTS),
		}, ":"),
		Kind: workflow.MessageAction,
		Thread: workflow.Thread{
			Team: r.Self.Team, Channel: string(channel),
			TS: string(cmp.Or(container.ThreadTS, p.Message.v.ThreadTS, container.MessageTS)),
		},
		TS: string(container.MessageTS), User: string(p.User.v.ID), UserTeam: string(p.User.v.TeamID),
		ActionID: workflow.ActionID(id), Value: value,
		At: ParseTS(string(a.ActionTS)),
	}, ""
}

func (r Reader) mentionsBot(t jstring) bool {
	return strings.Contains(string(t), "<@"+r.Self.User+">") ||
		strings.Contains(string(t), "<@"+r.Self.User+"|")
}

// readWords returns the text that a person wrote, and what is shown with it, as quoteShared has it. The text
// of an app may be in its blocks alone.
func (r Reader) readWords(p post) string {
	text := r.ownWords(p)
	if p.textInBlocks() {
		text = mrkdwn.Visible(r.withoutMention(mrkdwn.Unescape(linesText(p.shown().Lines))))
	}
	return strings.TrimSpace(text + quoteShared(p))
}

// ownWords returns the text that a person wrote, unescaped, without the mention of the bot. Other mentions
// stay as Slack writes them.
func (r Reader) ownWords(p post) string { return mrkdwn.Unescape(r.withoutMention(string(p.Text))) }

func (r Reader) withoutMention(s string) string {
	if r.Self.User == "" {
		return strings.TrimSpace(s)
	}
	mention := regexp.MustCompile(`[ \t]*<@` + regexp.QuoteMeta(r.Self.User) + `(?:\|[^>]*)?>[ \t]*`)
	return strings.TrimSpace(mention.ReplaceAllString(s, " "))
}

// ParseTS returns the time of a Slack ts, or the zero time if it is not valid.
func ParseTS(ts string) time.Time {
	seconds, fraction, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	micros, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
	return time.Unix(s, micros*1000).UTC()
}

// FormatTS returns a time as a Slack ts.
func FormatTS(t time.Time) string { return fmt.Sprintf("%d.%06d", t.Unix(), t.Nanosecond()/1000) }

// MenuAction is the action id of a message's overflow menu. The value that is chosen there says which button
// it stands for.
const MenuAction = "more"

// MenuValue returns the value of a menu's option that stands for a button.
func MenuValue(action workflow.ActionID, value string) string { return string(action) + " " + value }

// ActionSuffix separates a button's action id from its number: option, option#2, option#3. Slack requires
// that every action id in a message is unique. Normalise removes the suffix.
const ActionSuffix = "#"
