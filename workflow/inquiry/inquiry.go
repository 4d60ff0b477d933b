// Package inquiry is what an agent that only reads is asked beside the work, and the Advice that
// the consultant gives: one row for each Inquiry, found again by its key. turn/inquiry asks.
package inquiry

import (
	"encoding/json"
)

// Kind says who looks into an inquiry and what for.
type Kind string

// The kinds of inquiry.
const (
	Consult Kind = "consult" // the consultant recommends
	Explain Kind = "explain" // a diff is explained hunk by hunk
	Scope   Kind = "scope"   // a diff is held against the scope of its approval
	Review  Kind = "review"  // a change is reviewed before its push
	Owners  Kind = "owners"  // the program says who knows the code; no agent is asked
	Base    Kind = "base"    // people were told that a base which moved clashes
)

// An Inquiry is a question to an agent that only reads. Its answer is typed, by kind.
type Inquiry struct {
	ID       int64
	Session  string
	Kind     Kind
	Key      string // natural: the tool call, the message or the tree that it is about; one inquiry each
	Question string
	By       string // Slack id of the person who asked; empty: the program or the orchestrator
	Answer   json.RawMessage
	Applied  bool // a recommendation that the orchestrator acted on; of a review: it went back
	Stopped  bool // a stop ended it: it is asked again when the session goes on
	Alone    bool // and nothing else was under way when it was stopped
	USD      float64
}
