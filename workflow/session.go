package workflow

import (
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
