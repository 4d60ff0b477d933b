package workflow

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Thread is a Slack thread. One thread is one session, for ever.
type Thread struct {
	Team    string
	Channel string
	TS      string // of the thread's root message
}

// Permalink is the address of the thread's root in the workspace at that address. Slack's
// chat.getPermalink gives the same, at one call each.
func (t Thread) Permalink(workspaceURL string) string {
	return strings.TrimRight(workspaceURL, "/") + "/archives/" + t.Channel + "/p" + strings.ReplaceAll(t.TS, ".", "")
}

// Kind is what a request turned out to be. The orchestrator decides it.
type Kind string

// The kinds of request.
const (
	KindUnknown      Kind = ""
	KindBug          Kind = "bug"
	KindFeature      Kind = "feature"
	KindConsultation Kind = "consultation"
	KindQuestion     Kind = "question"
)

// A Command is a word that starts a way of working. Slack runs no slash commands inside a
// thread, so there they are words of a message.
type Command string

// The commands.
const (
	CommandNone      Command = ""
	CommandGrillMe   Command = "grill-me"
	CommandStartWork Command = "start-work"
	CommandDiagnose  Command = "diagnose"
	CommandConsult   Command = "consult"
)

// A Session is what Bobbin knows of a thread. Its transcript, tasks, reports and
// approvals are rows of their own.
type Session struct {
	ID            string
	Thread        Thread
	Kind          Kind
	Phase         Phase
	PreviousPhase Phase   // where a session that is paused or consulting goes back to
	Title         string  // the first line of the request, for branches and lists
	Requester     string  // Slack user id of the person who asked
	Workflow      Command // the way of working that a person asked for; empty: the orchestrator's choice
	Revision      int     // of the newest report shown; 0 before any
	Codebase
	Interview
	TurnState
	SpentUSD float64
	Created  time.Time
	Updated  time.Time
}

// A Codebase is the code that a session is about, and where its own work on it stands.
type Codebase struct {
	Repository string // name in the configuration; empty until one is chosen
	BaseCommit string // what was investigated; set with the repository
	Branch     string // where the work goes; set with the approval
	Head       string // last commit of the session's own work, empty before any
}

// An Interview counts the questions of the interview that is under way.
type Interview struct {
	QuestionsAsked int
	QuestionLimit  int // questions that it may put; 0: the usual number
}

// A TurnState says which turn may write, and whether there is something to do.
type TurnState struct {
	Epoch  int64  // number of the turn that may write; older turns are fenced off
	Open   bool   // the orchestrator has something to do
	Halted string // ts of the stop after which nobody who may approve said "go on"; "0": of a press; empty: none
}

// joinedMark begins Halted where the session was not stopped, but joined to another.
const joinedMark = "0:join:"

// Join says by which row of the inbox the session was joined to another one.
func (s *Session) Join(row int64) { s.Halted = fmt.Sprintf("%s%d", joinedMark, row) }

// Joined reports whether the session rests because it was joined to another one, and nobody
// said stop since: whoever takes part may go on here.
func (s Session) Joined() bool {
	return s.Phase == PhaseStopped && strings.HasPrefix(s.Halted, joinedMark)
}

// IncomingKind says what happened in Slack.
type IncomingKind string

// What can come in from Slack.
const (
	IncomingMention IncomingKind = "mention" // a message that names the bot, or a direct message
	IncomingReply   IncomingKind = "reply"   // any other message in a thread, or in a watched channel
	IncomingEdit    IncomingKind = "edit"    // message_changed: TS is the edited message's
	IncomingDelete  IncomingKind = "delete"  // message_deleted: TS is the deleted message's
	IncomingAction  IncomingKind = "action"  // a button: ActionID and Value are set
	IncomingForm    IncomingKind = "form"    // a modal was sent: ActionID and Value are of the button that opened it
	IncomingSent    IncomingKind = "sent"    // User sent somebody's message to the bot: TS and Text are that message's
	IncomingDue     IncomingKind = "due"     // not of Slack: a question waited long enough; Value is its id
	IncomingTold    IncomingKind = "told"    // not of Slack: the program tells the agents something
	IncomingAlert   IncomingKind = "alert"   // an app posted about a problem: Alert is set, and Value is the app's name
	IncomingRemark  IncomingKind = "remark"  // not of Slack: somebody wrote on the pull request; Value is the login there
	IncomingEarlier IncomingKind = "earlier" // not an event: a message that was in the thread before the session
)

// An Incoming is one event as the gateway understood it, before anybody judged it.
type Incoming struct {
	EventID  string // Slack's event_id or envelope id; unique for ever
	Kind     IncomingKind
	Thread   Thread
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

// A Message is an Incoming that was bound to a session and kept.
type Message struct {
	ID      int64 // order of arrival
	Session string
	Shown   string // what the program tells the agents instead of the text
	Incoming
}

// A Line is one thing said in the thread: "[agent] text".
type Line struct {
	Agent string
	Text  string
	// Buttons are shown under the line, in this order.
	Buttons []Button
	// Calls are ids of people and user groups who are told of the line. Only those that the
	// configuration names are called, and where it says so who knows the code.
	Calls []string
	// Files are attached to the reply.
	Files []File
	// Progress lines only tell how the work goes on: they join the newest reply of such lines.
	Progress bool
	// Code says where the places in the text are, which may be made links; nil: nobody looked.
	Code *Code
}

// Code is which places (path:line) of a text are there, and where.
type Code struct {
	Repository string   `json:"repository"` // its name in the configuration
	Commit     string   `json:"commit"`     // which its remote has
	Places     []string `json:"places"`
}

// A File is text that is too long for a reply, or that people want to keep, or a picture.
type File struct {
	Name  string `json:"name"` // plan.md
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Data  []byte `json:"data,omitempty"` // in the place of Text, of what is no text
	// Snippet is Slack's name of a language to show it in, such as diff; empty: as a file.
	Snippet string `json:"snippet,omitempty"`
}

// A Button carries an opaque id and nothing else; what it stands for is a row.
type Button struct {
	ActionID string
	Label    string
	Value    string
	Style    string // "", primary, danger
	// Means is what the press stands for beyond the action: an option, a scope. It is
	// kept in the row and never sent.
	Means string `json:"-"`
}

// String is the line as it is posted.
func (l Line) String() string { return fmt.Sprintf("[%s] %s", l.Agent, l.Text) }

// A Posting is one reply that has to be in the thread exactly once: one or more lines
// that were said within about a second of each other.
type Posting struct {
	Key     string // natural key; travels as message metadata so that a lost answer can be looked up
	Session string
	Thread  Thread
	Lines   []Line
	// Repository is the session's, by its name in the configuration; empty before one is chosen.
	Repository string
	// Reaction makes this posting a reaction on the message OnTS instead of a reply.
	Reaction string
	OnTS     string
	Tried    bool // it was attempted before: look it up before posting again
	// Rewrites is the key of the posting whose message this one makes anew, at OnTS: with
	// other lines and buttons, or with its own once more, without buttons, and Note below them.
	Rewrites, Note string
	// Brief leaves of the message that is rewritten its first line: a newer one has the rest.
	Brief bool
	// Stands is how many of the lines, the first, the message of Rewrites has already: the
	// others join them there, or make a reply of their own where Slack does not take it.
	Stands int
	// Card makes this posting a run's card.
	Card *Card
}

// Text is the posting's whole content.
func (p Posting) Text() string {
	parts := make([]string, len(p.Lines))
	for i, l := range p.Lines {
		parts[i] = l.String()
	}
	return strings.Join(parts, "\n")
}

// A Person is what Slack says of a user, read fresh for each decision.
type Person struct {
	ID       string
	Name     string
	Credit   string // how a commit names the person: Ann Author <ann@example.com>
	Team     string
	Bot      bool
	Guest    bool // restricted or ultra restricted
	Stranger bool // from another workspace (Slack Connect)
	Deleted  bool
	Admin    bool // or an owner of the workspace
	InThread bool // a member of the channel the thread is in
}

// Category is a kind of worker that the orchestrator delegates to.
type Category string

// The categories.
const (
	CategoryQuick  Category = "quick"
	CategoryDeep   Category = "deep"
	CategoryVisual Category = "visual-engineering"
)

// TaskState is where a task stands.
type TaskState string

// The states of a task.
const (
	TaskOpen    TaskState = "open"
	TaskWorking TaskState = "working"
	TaskDone    TaskState = "done"    // its verification held
	TaskBlocked TaskState = "blocked" // the worker said why it cannot go on
	TaskFailed  TaskState = "failed"  // its last attempt's verification failed
	TaskDropped TaskState = "dropped" // failed, and another took its work up or people were asked
	TaskClashes TaskState = "clashes" // verified in its own tree, but others changed the same lines
)

// A Task is a unit of work that the orchestrator delegated.
type Task struct {
	ID          int64
	Session     string
	Number      int // 1, 2, … within the session
	Description string
	Shown       string // the description as people are shown it: in one line, with secrets masked
	Category    Category
	Skill       string
	After       []int // numbers of tasks that must be done first
	State       TaskState
	Summary     string // the worker's own words when it ended
	Plan        int    // number of the plan's task that it is; 0: of none
	Failures    int    // failed attempts at it, and at those before it whose work it takes up
	StartTree   string // the files it began with
	Tree        string // the files it was verified with
	Apart       bool   // it works in a tree of its own, which is merged when it is verified
}

// Label is how the task's category is shown in a list of tasks: [deep + tdd skill].
func (t Task) Label() string {
	if t.Skill == "" {
		return fmt.Sprintf("[%s]", t.Category)
	}
	return fmt.Sprintf("[%s + %s skill]", t.Category, t.Skill)
}

// An Attempt is edits followed by a verification that the program ran.
type Attempt struct {
	Task    int64
	Number  int
	Tree    string // what was verified
	Held    bool
	Summary string // figures, or what failed
	Diff    string // what was verified, cut where it is long
}

// An Item is one entry of an agent's transcript: a message to or from the model, kept
// as JSON so that this package need not know the model's types.
type Item struct {
	Seq  int64
	Task int64 // 0 for the orchestrator
	Body json.RawMessage
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
