// Package incoming is what comes in: an Event, as bot/event understood what Slack sent, the
// Message that store/inbox makes of it by binding it to a session, and what it may carry: an
// Attachment, or an Alert of another app. All of it is somebody's words: data. turn/intake
// judges it. A new kind of event is a Kind here.
package incoming

import (
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// Kind says what happened in Slack.
type Kind string

// What can come in from Slack.
const (
	Mention  Kind = "mention" // a message that names the bot, or a direct message
	Reply    Kind = "reply"   // any other message in a thread, or in a watched channel
	Edit     Kind = "edit"    // message_changed: TS is the edited message's
	Delete   Kind = "delete"  // message_deleted: TS is the deleted message's
	Action   Kind = "action"  // a button: ActionID and Value are set
	Form     Kind = "form"    // a modal was sent: ActionID and Value are of the button that opened it
	Sent     Kind = "sent"    // User sent somebody's message to the bot: TS and Text are that message's
	Due      Kind = "due"     // not of Slack: a question waited long enough; Value is its id
	Told     Kind = "told"    // not of Slack: the program tells the agents something
	AppAlert Kind = "alert"   // an app posted about a problem: Alert is set, and Value is the app's name
	Remark   Kind = "remark"  // not of Slack: somebody wrote on the pull request; Value is the login there
	Earlier  Kind = "earlier" // not an event: a message that was in the thread before the session
)

// An Event is one event as the gateway understood it, before anybody judged it.
type Event struct {
	EventID  string // Slack's event_id or envelope id; unique for ever
	Kind     Kind
	Thread   workflow.Thread
	TS       string // of the message itself; equal to Thread.TS for a root
	User     string
	UserTeam string // home team of the user, where Slack says it
	Text     string // raw mrkdwn as Slack sent it, less the bot's own mention
	ActionID string // fix_it, correct, consult, stop, option, change_repository; of a message that was sent: shortcut, reaction
	Value    string // the button's opaque id; of a message that was sent: who wrote it
	At       time.Time
	Files    []Attachment // that were shared with the message
	Alert    *Alert       // of an alert
}

// A Message is an Event that was bound to a session and kept.
type Message struct {
	ID      int64 // order of arrival
	Session string
	Shown   string // what the program tells the agents instead of the text
	Event
}

// A ThreadMessage is one message of a thread as Slack has it.
type ThreadMessage struct {
	User string
	Name string
	Text string
	TS   string
	Bot  bool
	Own  bool // posted by this bot

	Edited  string // ts of the newest edit; empty: none
	Files   []Attachment
	Skipped int // messages before this one that were not read
}
