// Package inquiry holds the questions that are put to a read-only agent beside the main work, and the
// Advice that the consultant gives. Each Inquiry is one row, which is found again by its key. Package
// turn/inquiry asks the questions.
package inquiry

import (
	"encoding/json"
)

// Kind says which agent answers an inquiry, and for what purpose.
type Kind string

// The kinds of inquiry.
const (
	Consult      Kind = "consult" // the consultant gives a recommendation
	Explain      Kind = "explain" // an agent explains a diff hunk by hunk
	Scope        Kind = "scope"   // an agent compares a diff with the scope of its approval
	Review       Kind = "review"  // an agent reviews a change before its push
	Owners       Kind = "owners"  // the program says who knows the code; no agent is asked
	BaseConflict Kind = "base"    // no question: the row says that the thread was told once of a conflict with the base branch
)

// An Inquiry is a question to a read-only agent. The type of its answer depends on its kind.
type Inquiry struct {
	ID       int64
	Session  string
	Kind     Kind
	Key      string // natural key: the tool call, message or tree that the inquiry is about; one inquiry per key
	Question string
	By       string // Slack id of the person who asked; empty: the program or the orchestrator
	Answer   json.RawMessage
	Applied  bool // the orchestrator acted on the recommendation; for a review: the change went back
	Stopped  bool // a stop ended the inquiry: it is asked again when the session continues
	Alone    bool // nothing else was running when the inquiry was stopped
	USD      float64
}
