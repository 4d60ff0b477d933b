package workflow

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A Thread is a Slack thread. It is one session for ever, with a part of it for each further repository that
// its change takes.
type Thread struct {
	Team    string
	Channel string
	TS      string // ts of the thread's root message
}

// Permalink returns the URL of the thread's root message in the workspace at workspaceURL. Slack's
// chat.getPermalink returns the same, but costs one call each.
func (t Thread) Permalink(workspaceURL string) string {
	return strings.TrimRight(workspaceURL, "/") + "/archives/" + t.Channel +
		"/p" + strings.ReplaceAll(t.TS, ".", "")
}

// A Channel is what Slack says about a channel.
type Channel struct {
	ID       string
	Name     string // without #
	Joined   bool   // the bot is a member
	Private  bool   // it is private, a direct message, or shared with another workspace
	Archived bool
}

// Kind is the kind of a request. The orchestrator decides it.
type Kind string

// The kinds of request.
const (
	KindUnknown      Kind = ""
	KindBug          Kind = "bug"
	KindFeature      Kind = "feature"
	KindConsultation Kind = "consultation"
)

// A Command is a word that starts a way of working. Slack runs no slash commands inside a thread, so
// there they are words of a message.
type Command string

// The commands.
const (
	CommandNone      Command = ""
	CommandGrillMe   Command = "grill-me"
	CommandStartWork Command = "start-work"
	CommandDiagnose  Command = "diagnose"
	CommandConsult   Command = "consult"
)

// A Session is what Bobbin knows of a thread. Its transcript, tasks, reports and approvals are separate
// rows.
type Session struct {
	ID            string
	Thread        Thread
	PartOf        string       // id of the thread's own session if this is a part of it; empty: it is that
	Left          []LeftThread // the threads in which it was before, oldest first
	Kind          Kind
	Phase         Phase
	PreviousPhase Phase   // the phase that a paused or consulting session returns to
	Trouble       string  // why a paused session waits, such as TroubleModel; empty: for people
	Title         string  // the first line of the request, for branches and lists
	Finding       string  // what the newest report found, in one line; empty before any
	Requester     string  // Slack user id of the person who asked
	Workflow      Command // the way of working that a person asked for; empty: the orchestrator's choice
	Revision      int     // newest report that was shown; 0 before any
	ReportKind    string  // kind of that report, like ReportPlan; empty before any
	Codebase
	Interview
	TurnState
	SpentUSD float64
	Tokens   int64 // that models read and wrote
	Unpriced int64 // of Tokens: of models without a price
	Created  time.Time
	Updated  time.Time
}

// Cost returns what the session used of models so far.
func (s Session) Cost() Cost { return Cost{USD: s.SpentUSD, Tokens: s.Tokens, Unpriced: s.Unpriced} }

// Why a paused session waits, if it does not wait for people.
const (
	TroubleModel = "model" // the model gave no answer
	TroubleLimit = "limit" // a limit was reached
	TroubleDisk  = "disk"  // nothing could be written
)

// Name returns what lists call the session: what was found, or, before any report, what was asked.
func (s Session) Name() string { return cmp.Or(s.Finding, s.Title) }

// PausedByOperator is the State of a session that the operator paused.
const PausedByOperator = "paused by the operator"

// IsEmpty reports whether nothing came of the session: its thread only asked for help, or what was said in it
// was refused.
func (s Session) IsEmpty() bool { return s.Phase == PhaseExploring && !s.Open && s.Name() == "" }

// State returns in words how the session stands. paused says that the operator paused its repository, its
// channel, or everything.
func (s Session) State(paused bool) string {
	switch {
	case s.IsEmpty():
		return "nothing was begun"
	case paused && (s.Open || !s.Phase.Ended() && !s.Phase.AwaitsConsent()):
		return PausedByOperator
	case s.Phase == PhasePaused:
		return cmp.Or(troubles[s.Trouble].state, "waits for a decision")
	case s.Phase.AwaitsConsent():
		return "waits for an approval"
	case !s.Open && !s.Phase.Ended():
		return "waits for an answer"
	case !s.Pushed || s.Joined():
	case s.Phase == PhaseDone, s.Phase == PhaseAnswered: // a question after the push changes nothing of it
		return "pushed"
	case s.Phase == PhaseStopped, s.Phase == PhaseFailed:
		return string(s.Phase) + " after a push"
	}
	return string(s.Phase)
}

// Awaited returns what ends the wait of a paused session.
func (s Session) Awaited() string {
	return cmp.Or(troubles[s.Trouble].awaited, "a decision on how to go on")
}

// A trouble is how a paused session stands that does not wait for people, and what ends its wait.
type trouble struct{ state, awaited string }

var troubles = map[string]trouble{
	TroubleModel: {"waits: the model refused", "the model, which refused; a reply in the thread goes on"},
	TroubleLimit: {"waits: a limit was reached", "more of what the limit allows"},
	TroubleDisk:  {"waits: nothing can be written", "room on the disk; a reply in the thread goes on"},
}

// A Codebase is the code that a session is about, and the state of the session's own work on it.
type Codebase struct {
	Repository string   // name in the configuration; empty until one is chosen
	Before     []string // names of the repositories that it was about before
	BaseBranch string   // branch or tag that the work starts from; empty: the repository's base
	Pull       int64    // number of the pull request whose branch that is; 0: of none
	PullInto   string   // branch into which it is to be merged
	BaseCommit string   // commit that was investigated; set with the repository
	Voided     int      // newest revision that is about another repository or branch; 0: none is
	Branch     string   // branch of the work; set with the approval
	Head       string   // last commit of the session's own work; empty before any
	Pushed     bool     // a push of the session went out; the store reads it, and never writes it
}

// An Interview counts the questions of the interview that is under way.
type Interview struct {
	QuestionsAsked int
	QuestionLimit  int // how many questions it may ask; 0: the usual number
}

// A TurnState holds which turn may write, and whether there is something to do.
type TurnState struct {
	// number of the turn that may write; older turns are fenced off
	Epoch int64
	// the orchestrator has something to do
	Open bool
	// ts of a stop without a "go on" of an approver since; begins with "0" if it was no
	// message; empty: not stopped
	Halted string
}

// joinedMark begins Halted if the session was not stopped, but joined to another one.
const joinedMark = "0:join:"

// Join marks the session as joined to another one by the inbox row.
func (s *Session) Join(row int64) { s.Halted = fmt.Sprintf("%s%d", joinedMark, row) }

// listMark begins Halted if nothing ever ran in the session, and its thread only names other threads.
const listMark = "0:list:"

// ListThreads marks the session as one that only names other threads, at the word of the inbox row. It
// listens to nobody until the bot is called again.
func (s *Session) ListThreads(row int64) { s.Halted = fmt.Sprintf("%s%d", listMark, row) }

// ListsThreads reports whether the session only names other threads.
func (s Session) ListsThreads() bool { return strings.HasPrefix(s.Halted, listMark) }

// Joined reports whether the session rests because it was joined to another one, and was not stopped
// since. Then any participant may continue it.
func (s Session) Joined() bool {
	return s.Phase == PhaseStopped && strings.HasPrefix(s.Halted, joinedMark)
}

// A Person is what Slack says about a user, read anew for each decision.
type Person struct {
	ID       string
	Name     string
	Credit   string // how a commit names the person: Ann Author <ann@example.com>
	Team     string
	Bot      bool
	Guest    bool // restricted or ultra restricted
	Stranger bool // from another workspace (Slack Connect)
	Deleted  bool
	Admin    bool // an admin or an owner of the workspace
	InThread bool // a member of the channel the thread is in
	// Via is the name of the app that posted the person's message; empty: none did
	Via string
}

// ExclusionReason returns why the bot does not listen to p: p is a bot, a person from outside the
// workspace, or has a deactivated account. It returns an empty string for everybody else. Guests are
// not excluded: they may add to a thread, but not start one.
func (p Person) ExclusionReason() string {
	switch {
	case p.Bot:
		return "bots are not heard"
	case p.Stranger:
		return "people from outside this workspace cannot take part here"
	case p.Deleted:
		return "that account is deactivated"
	}
	return ""
}
