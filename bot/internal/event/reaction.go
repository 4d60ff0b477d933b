package event

import (
	"encoding/json"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// The types of the events of reactions.
const (
	reactionAdded   = "reaction_added"
	reactionRemoved = "reaction_removed"
)

// reactionEvent is the event of a reaction that was added or removed.
type reactionEvent struct {
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
}

func (e reactionEvent) name() string { return EmojiName(string(e.Reaction)) }

// EmojiName returns the name of a reaction's emoji without the skin tone, which Slack writes after two colons.
func EmojiName(reaction string) string {
	name, _, _ := strings.Cut(reaction, "::")
	return name
}

// readReacted translates a reaction of a person to a message of the bot, or one that says no to any message.
// The event does not hold the thread, so the thread's ts is that of the message: the Inbox finds the session
// by it, and ignores what is no report, approval, card or question.
func (r Reader) readReacted(c eventCallback) (workflow.IncomingEvent, string) {
	var p struct {
		Event lenient[reactionEvent] `json:"event"`
	}
	if json.Unmarshal(c.raw, &p) != nil {
		return workflow.IncomingEvent{}, "a reaction that cannot be read"
	}
	e, item := p.Event.v, p.Event.v.Item.v
	switch {
	case item.Type != "message" || item.Channel == "" || item.TS == "" || e.User == "":
		return workflow.IncomingEvent{}, "a reaction to no message"
	case e.User == jstring(r.Self.User):
		return workflow.IncomingEvent{}, "our own reaction"
	case e.ItemUser != jstring(r.Self.User) && (!intent.RefusingReaction(e.name()) || r.sends(e)):
		return workflow.IncomingEvent{}, "a reaction to the message of another person"
	}
	in := workflow.IncomingEvent{
		EventID: string(c.EventID), Kind: workflow.MessageReacted, ActionID: workflow.ReactionAdded, Value: e.name(),
		Thread: workflow.Thread{Team: r.Self.Team, Channel: string(item.Channel), TS: string(item.TS)},
		TS:     string(item.TS), User: string(e.User), At: ParseTS(string(e.EventTS)),
	}
	if e.Type == reactionRemoved {
		in.ActionID = workflow.ReactionRemoved
	}
	return in, ""
}
