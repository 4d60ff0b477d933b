package event

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// SendShortcut is the callback_id of the message shortcut in the manifest.
const SendShortcut = "send_to_bobbin"

// sharePayload is the payload of a shortcut (an interactive envelope) or of a reaction (an event).
type sharePayload struct {
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

	EventID jstring                `json:"event_id"`
	Event   lenient[reactionEvent] `json:"event"`
}

// SharedMessage is a message that a person sent to the bot by a shortcut or a reaction.
type SharedMessage struct {
	In        workflow.IncomingEvent
	Private   bool   // in a direct message or a group direct message
	AnswerURL string // response_url for an answer that only the sender sees; empty: none
	Own       bool   // the message is the bot's own
}

// ReadSharedMessage reads the payload of our shortcut or of a configured reaction; it returns false for any
// other payload.
func (r Reader) ReadSharedMessage(kind string, payload []byte) (s SharedMessage, ok bool) {
	var p sharePayload
	if json.Unmarshal(payload, &p) != nil {
		return s, false
	}
	switch {
	case kind == "interactive" && p.Type == "message_action" && p.CallbackID == SendShortcut:
		s = r.readShortcut(p)
	case kind == "events_api" && p.Event.v.Type == reactionAdded:
		s, ok = r.readReaction(p)
		if !ok {
			return s, false
		}
	default:
		return s, false
	}
	s.In.Kind = workflow.MessageSent
	s.In.Thread.Team = r.Self.Team
	return s, s.In.Thread.Channel != "" && s.In.TS != "" && s.In.User != ""
}

func (r Reader) readShortcut(p sharePayload) (s SharedMessage) {
	message := p.Message.v
	if message.TS == "" {
		message.TS = p.MessageTS
	}
	in := r.newIncoming(message)
	in.Value = authorOf(message)
	s.Own = r.isOwn(message)
	in.ActionID = workflow.ByShortcut
	in.Thread.Channel = string(p.Channel.v.ID)
	in.User = string(p.User.v.ID)
	in.UserTeam = string(p.User.v.TeamID)
	in.At = ParseTS(string(p.ActionTS))
	in.EventID = strings.Join([]string{
		string(workflow.ByShortcut), in.Thread.Channel, in.TS, in.User, string(p.ActionTS),
	}, ":")
	s.In = in
	s.AnswerURL = string(p.ResponseURL)
	s.Private = p.Channel.v.Name == "directmessage" || strings.HasPrefix(string(p.Channel.v.Name), "mpdm-")
	return s
}

// readReaction reads a reaction. The event does not hold the message, so In has no text.
func (r Reader) readReaction(p sharePayload) (s SharedMessage, ok bool) {
	e := p.Event.v
	item := p.Event.v.Item.v
	if !r.sends(e) {
		return s, false
	}
	// The id is the same for all configured reactions of one person to one message.
	s.In.EventID = strings.Join([]string{
		string(workflow.ByReaction), string(item.Channel), string(item.TS), string(e.User),
	}, ":")
	s.In.ActionID = workflow.ByReaction
	s.In.TS = string(item.TS)
	s.In.User = string(e.User)
	s.In.At = ParseTS(string(e.EventTS))
	s.In.Thread.Channel = string(item.Channel)
	s.Own = e.ItemUser == jstring(r.Self.User)
	return s, !s.Own
}

// sends reports whether a reaction is configured to send its message to the bot.
func (r Reader) sends(e reactionEvent) bool {
	item := e.Item.v
	return item.Type == "message" && e.User != jstring(r.Self.User) &&
		slices.Contains(r.Reactions[string(item.Channel)], e.name())
}

// authorOf returns the author of a message: a user id, or the name that an app gave itself, also if the app
// posted it for a person.
func authorOf(p post) string {
	if p.User != "" && p.BotID == "" {
		return string(p.User)
	}
	return appName(p)
}

// likeID matches what could pass for the id of a user.
var likeID = regexp.MustCompile(`^[UW][A-Z0-9]+$`)

// appName returns the name of the app that posted a message, which never passes for the id of a user.
func appName(p post) string {
	name := mrkdwn.OneLine(string(cmp.Or(p.Profile.v.Name, p.Username)), 80)
	if name == "" || likeID.MatchString(name) {
		return "an app"
	}
	return name
}

func (r Reader) isOwn(p post) bool {
	return p.User != "" && string(p.User) == r.Self.User || p.BotID != "" && string(p.BotID) == r.Self.BotID
}

// ReadMessage reads a message of the Web API: its thread, text and files, and its author as Value.
func (r Reader) ReadMessage(m bot.Message) (workflow.IncomingEvent, error) {
	p, err := readPost(m)
	if err != nil {
		return workflow.IncomingEvent{}, err
	}
	in := r.newIncoming(p)
	in.Value = authorOf(p)
	return in, nil
}

// ReadHistory reads a message of a channel's or a thread's history as if its events had arrived; it returns
// none for a message that the bot ignores.
func (r Reader) ReadHistory(channel string, m bot.Message) []workflow.IncomingEvent {
	p, err := readPost(m)
	if err != nil {
		return nil
	}
	e := event{post: p, Channel: jstring(channel)}
	e.Type = "message"
	if strings.HasPrefix(channel, "D") {
		e.ChannelType = "im"
	}
	raw, err := json.Marshal(map[string]any{"event": rawOf(m)})
	if err != nil {
		return nil
	}
	in, reason := r.readEvent(eventCallback{
		raw:     raw,
		EventID: jstring(string(workflow.ReadAgain) + ":" + channel + ":" + m.Timestamp),
		Event:   lenient[event]{e},
	})
	switch {
	case reason != "":
		return nil
	case m.Edited == nil || in.Alert != nil:
		return []workflow.IncomingEvent{in}
	}
	return r.readEdited(in, *m.Edited)
}

// readEdited returns the events of a message that was edited before it was read. Only its newest words are
// known, so they count as an edit, which permits nothing. A message that calls the bot is a MessageSent,
// too, as one to which a mention was added. One that may begin a session without a mention, or
// that says stop, also counts as it is: what was edited never asks for work that nobody approves,
// and a stop permits nothing.
func (r Reader) readEdited(in workflow.IncomingEvent, by slack.Edited) []workflow.IncomingEvent {
	edit := in
	edit.Kind = workflow.MessageEdit
	edit.ActionID = workflow.ReadAgain
	edit.EventID = in.EventID + ":" + by.Timestamp
	edit.User = cmp.Or(by.User, in.User)
	switch {
	case r.Words.EndsWork(in.Text), in.Kind == workflow.MessageReply && in.TS == in.Thread.TS:
		return []workflow.IncomingEvent{in, edit}
	case in.Kind == workflow.MessageMention:
		in.Kind = workflow.MessageSent
		in.ActionID = workflow.ByEdit
		in.Value = cmp.Or(in.Value, in.User) // an app's name stays, also if it posted for that person
		return []workflow.IncomingEvent{edit, in}
	}
	return []workflow.IncomingEvent{edit}
}
