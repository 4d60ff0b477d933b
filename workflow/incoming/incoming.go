// Package incoming holds what comes in: an Event, as bot/event parsed it from what Slack sent, the
// Message that store/inbox makes of it by binding it to a session, and what it may carry: an
// Attachment, or an Alert of another app. All of it is written by others, and so data. turn/intake
// judges it. A new kind of event is a new Kind here.
package incoming

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// Kind says what happened in Slack.
type Kind string

// The kinds of event.
const (
	Mention  Kind = "mention" // a message that names the bot, or a direct message
	Reply    Kind = "reply"   // any other message in a thread, or in a watched channel
	Edit     Kind = "edit"    // message_changed: TS is the edited message's
	Delete   Kind = "delete"  // message_deleted: TS is the deleted message's
	Action   Kind = "action"  // a button was pressed: ActionID and Value are set
	Form     Kind = "form"    // a modal was submitted: ActionID and Value are of the button that opened it
	Sent     Kind = "sent"    // User sent another person's message to the bot: TS and Text are of that message
	Due      Kind = "due"     // not from Slack: a question waited long enough; Value is its id
	Reacted  Kind = "reacted" // an emoji was added to a message or removed: TS is the message's, Value the emoji's name, ActionID Added or Removed
	Told     Kind = "told"    // not from Slack: the program tells the agents something
	AppAlert Kind = "alert"   // an app posted about a problem: Alert is set, and Value is the app's name
	Remark   Kind = "remark"  // not from Slack: a person commented on the pull request; Value is the login there
	Earlier  Kind = "earlier" // not an event: a message that was in the thread before the session
)

// ByEdit is the ActionID of a Sent message to which its author has added a mention of the bot by an edit. It counts only
// where the bot was not called before: elsewhere it is an Edit.
const ByEdit = "edit"

// ReadAgain is the ActionID of an Edit that did not arrive as an event: the message was read later, after it was
// edited, and nobody knows what it said first. The EventID of all that is read later begins with it and a colon.
const ReadAgain = "again"

// The ActionIDs of a reaction.
const (
	Added   = "added"
	Removed = "removed"
)

// A Reaction is an emoji under a message, as Slack lists it.
type Reaction struct {
	Name  string   // of the emoji, without the skin tone
	Users []string // who reacted with it
}

// An Event is one event as the gateway parsed it, before it is judged.
type Event struct {
	EventID  string // Slack's event_id or envelope id; never used again
	Kind     Kind
	Thread   workflow.Thread
	TS       string // ts of the message itself; equal to Thread.TS for a root
	User     string
	UserTeam string // home team of the user, if Slack gives it
	Text     string // raw mrkdwn as Slack sent it, without the bot's own mention
	ActionID string // fix_it, correct, consult, stop, option, change_repository, and so on; for a Sent message: shortcut, reaction or ByEdit
	Value    string // the button's opaque id; for a Sent message: its author
	At       time.Time
	Files    []Attachment // files shared with the message
	Alert    *Alert       // set for an AppAlert
}

// A Message is an Event that was bound to a session and stored.
type Message struct {
	ID      int64 // increases in the order of arrival
	Session string
	Shown   string // what the agents are told in place of the text; empty: the text
	Event
}

// A ThreadMessage is one message of a thread as Slack returns it.
type ThreadMessage struct {
	User string
	Name string
	Text string
	TS   string
	Bot  bool
	Own  bool // posted by this bot

	Edited  string // ts of the newest edit; empty: none
	Files   []Attachment
	Skipped int // how many messages before this one were not read
}
