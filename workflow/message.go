package workflow

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MessageKind says what happened in Slack.
type MessageKind string

// The kinds of event.
const (
	MessageMention MessageKind = "mention" // a message that names the bot, or a direct message
	MessageReply   MessageKind = "reply"   // any other message in a thread, or in a watched channel
	MessageEdit    MessageKind = "edit"    // message_changed: TS is the edited message's
	// Slack added a preview to the message TS: Text is what it shows, and no word of the writer
	MessagePreview MessageKind = "preview"
	MessageDelete  MessageKind = "delete" // message_deleted: TS is the deleted message's
	MessageAction  MessageKind = "action" // a button was pressed: ActionID and Value are set
	// a modal was submitted: ActionID and Value are of the button that opened it
	MessageForm MessageKind = "form"
	// User sent another person's message to the bot: TS and Text are of that message
	MessageSent MessageKind = "sent"
	MessageDue  MessageKind = "due" // not from Slack: a question waited long enough; Value is its id
	// an emoji was added to a message or removed: TS is the message's, Value the emoji's
	// name, ActionID ReactionAdded or ReactionRemoved
	MessageReacted MessageKind = "reacted"
	MessageTold    MessageKind = "told" // not from Slack: the program tells the agents something
	// an app posted about a problem: Alert is set, and Value is the app's name
	MessageAlert MessageKind = "alert"
	// not from Slack: a person commented on the pull request; Value is the login there
	MessageRemark MessageKind = "remark"
	// not an event: a message that was in the thread before the session
	MessageEarlier MessageKind = "earlier"
)

// The ActionIDs of a MessageSent say how it was sent to the bot.
const (
	ByShortcut ActionID = "shortcut"
	ByReaction ActionID = "reaction"
	// its author added a mention of the bot by an edit. It counts only where the bot was not called
	// before: elsewhere it is a MessageEdit.
	ByEdit ActionID = "edit"
)

// ReadAgain is the ActionID of a MessageEdit that did not arrive as an event: the message was read later,
// after it was edited, and nobody knows what it said first. The EventIDs of messages that are read
// later begin with it and a colon.
const ReadAgain ActionID = "again"

// The ActionIDs of a reaction.
const (
	ReactionAdded   ActionID = "added"
	ReactionRemoved ActionID = "removed"
)

// A Reaction is an emoji under a message, as Slack lists it.
type Reaction struct {
	Name  string   // of the emoji, without the skin tone
	Users []string // who reacted with it
}

// An IncomingEvent is one event as the gateway parsed it, before it is judged.
type IncomingEvent struct {
	// Slack's event_id or envelope id, which Slack never uses twice
	EventID string
	Kind    MessageKind
	Thread  Thread
	// ts of the message itself; equal to Thread.TS for a root
	TS   string
	User string
	// home team of the user, if Slack gives it
	UserTeam string
	// raw mrkdwn as Slack sent it, without the bot's own mention
	Text string
	// fix_it, correct, consult, stop, option, change_repository, and so on; for a MessageSent:
	// ByShortcut, ByReaction or ByEdit; for a MessageRemark: the place that it is about
	ActionID ActionID
	// the button's opaque id; for a MessageSent: its author; for a mention or a reply: the app that posted it
	Value string
	At    time.Time
	// files shared with the message
	Files []Attachment
	// set for a MessageAlert
	Alert *Alert
}

// A Message is an IncomingEvent that was bound to a session and stored.
type Message struct {
	ID        int64 // increases in the order of arrival
	Session   string
	AgentText string // what the agents are told in place of the text; empty: the text
	IncomingEvent
}

// App returns the name of the app that posted the message, or an empty string if a person wrote it in Slack.
func (m Message) App() string {
	if m.Kind == MessageMention || m.Kind == MessageReply {
		return m.Value
	}
	return ""
}

// Keys of the notes to agents about what was read of others begin so.
const (
	KeyOfLink      = "link:"   // a message of Slack, or a thread
	KeyOfSource    = "source:" // the answers of a source
	KeyOfReference = "ref:"    // at a git host; it ends in ":-" if nothing was read
	KeyOfTicket    = "ticket:" // of a tracker
)

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
	// SkippedBy counts those of them that this bot did not post, by the names of their authors. A name may be
	// a user id if there are many authors.
	SkippedBy map[string]int
	Number    int // place in the thread, from 1 for its first message; 0: not known
}

// A ThreadQuery says which messages of a thread are wanted.
type ThreadQuery struct {
	// Link is a permalink of a message of another thread, which is read instead; empty: this thread.
	Link string
	// From is the number of the first message that is wanted; less than 1: the thread's first message.
	From int
	// Words that a message has to contain, all of them, in upper or lower case; nil: any.
	Words []string
	// Person is the author's name or user id, or a part of the name; empty: anybody.
	Person string
	// Most is how many messages are returned.
	Most int
}

// A ThreadPage is a part of a thread, as the people of the thread in which it is asked for may read it.
type ThreadPage struct {
	Messages []ThreadMessage // with their Number, oldest first
	Count    int             // how many messages the thread has
	Found    int             // how many of them are as wanted, from ThreadQuery.From on
	Channel  string          // of another thread, as people write it: #general; empty: of this thread
	Refused  string          // why it is not shown, and what to do; empty: it is
}

// PostedAt returns the time in the ts of a message: seconds, and microseconds behind the point. ok is false
// for a text that is no ts.
func PostedAt(ts string) (at time.Time, ok bool) {
	seconds, fraction, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || s <= 0 {
		return at, false
	}
	micros, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
	return time.Unix(s, micros*1000).UTC(), true
}

// A LinkedMessage is the message that a link in a thread leads to, as the people of the thread may read it.
type LinkedMessage struct {
	Thread  Thread // without its team
	TS      string
	User    string // id of its author; empty: an app's
	Name    string // of its author
	Channel string // as people write it: #general
	Text    string
	Replies int    // below it, if it is the first message of a thread
	Refused string // why it is not shown, and what to do; empty: it is
}

// A Feed is a channel in which the messages of some apps are read as reports.
type Feed struct {
	Channel    string
	Repository string   // name of the repository that they are about
	Apps       []string // ids (A…) or names of the apps
}

// An Alert is what an app posted about a problem. All of it is the app's text, and so data.
type Alert struct {
	App        string // the app's name
	AppID      string
	Repository string // the repository that the channel's alerts are about; empty: several
	Title      string
	Trace      string // lines of a stack trace
	Release    string
	Link       string      // http or https; empty: none
	Links      []AlertLink // others to which it points: a runbook, a dashboard, a trace
	Body       string      // the rest of what was posted
	// Fingerprint is the same for all alerts about one problem.
	Fingerprint string
	// Resolved means that the alert says that a problem is over.
	Resolved bool
}

// An AlertLink is an http or https address in an alert.
type AlertLink struct {
	Name string // what the alert calls it; may be empty
	URL  string
}

// String returns the alert as a report, with its title in the first line.
func (a Alert) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.Title)
	for _, part := range []struct{ name, text string }{{"Link", a.Link}, {"Release", a.Release}} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, part.text)
		}
	}
	for _, l := range a.Links {
		fmt.Fprintf(&b, "Link: %s\n", strings.TrimPrefix(l.Name+": "+l.URL, ": "))
	}
	if a.Trace != "" {
		fmt.Fprintf(&b, "Stack trace:\n%s\n", a.Trace)
	}
	if a.Body != "" && a.Body != a.Title {
		fmt.Fprintf(&b, "Posted with it:\n%s\n", a.Body)
	}
	return strings.TrimRight(b.String(), "\n")
}

// An Attachment is a file that a person shared with a message. Its description comes with Slack's
// event. Its content is downloaded by a turn, once, and stored with the session.
type Attachment struct {
	Number  int    // number within its session, from 1; 0 before it is stored
	Message string // ts of the message that it came with
	File    string // Slack's id of the file
	Name    string
	Kind    string // the media type that Slack gives, which it derives from the name
	Mode    string // Slack's: hosted, snippet, canvas, external, tombstone, …
	Size    int64  // in bytes; of a file that was read: of its text
	URL     string // URL where the app may download it
	State   AttachmentState
	// for a file that was not read: what is wrong with it and what to do; for one that was read and is no
	// plain text: what it is, and what was not read of it; for people
	Why   string
	Media string // for a file that was read: text/plain or the type of a picture, found from its content
	// for a file that was read: its content, if the caller asked for it; of a long text, its beginning and
	// its end
	Content []byte
}

// MaxStoredText is how many bytes of a text are stored. Of a longer one its ends are; the whole of it is kept
// in the session's folder.
const MaxStoredText = 2 << 20

// Long reports whether the attachment is a text that is not stored as a whole.
func (a Attachment) Long() bool {
	return a.State == AttachmentRead && a.Media == MediaText && a.Size > MaxStoredText
}

// Clip reports whether the attachment is heard, not read: an audio or a video file.
func (a Attachment) Clip() bool {
	return strings.HasPrefix(a.Kind, "audio/") || strings.HasPrefix(a.Kind, "video/")
}

// AttachmentState is how far a file was read.
type AttachmentState string

// The states of an attachment.
const (
	AttachmentNamed  AttachmentState = ""       // not tried yet
	AttachmentRead   AttachmentState = "read"   // its content is stored
	AttachmentUnread AttachmentState = "unread" // it could not be read; Why says why
	AttachmentGone   AttachmentState = "gone"   // its message was deleted, and its content with it
)

// MediaText is the Media of text in any encoding.
const MediaText = "text/plain"

// Ref returns the reference by which agents name the attachment.
func (a Attachment) Ref() string { return fmt.Sprintf("attachment:%d", a.Number) }

// Picture reports whether the attachment was read and is a picture.
func (a Attachment) Picture() bool { return a.State == AttachmentRead && a.Media != MediaText }
