package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// InquiryKind says which agent answers an inquiry, and for what purpose.
type InquiryKind string

// The kinds of inquiry.
const (
	InquiryConsult InquiryKind = "consult" // the consultant gives a recommendation
	InquiryExplain InquiryKind = "explain" // an agent explains a diff hunk by hunk
	InquiryScope   InquiryKind = "scope"   // an agent compares a diff with the scope of its approval
	InquiryReview  InquiryKind = "review"  // an agent reviews a change before its push
	InquiryOwners  InquiryKind = "owners"  // the program says who knows the code; no agent is asked
	InquiryDiff    InquiryKind = "diff"    // the program shows the change; no agent is asked
	// no question: the row says that the thread was told once of a conflict with the base branch
	InquiryBaseConflict InquiryKind = "base"
)

// An Inquiry is a question to a read-only agent. The type of its answer depends on its kind.
type Inquiry struct {
	ID      int64
	Session string
	Kind    InquiryKind
	// natural key: the tool call, message or tree that the inquiry is about; one inquiry per key
	Key      string
	Question string
	// Slack id of the person who asked; empty: the program or the orchestrator
	By     string
	Answer json.RawMessage
	// the orchestrator acted on the recommendation; for a review: the change went back
	Applied bool
	// a stop ended the inquiry: it is asked again when the session continues
	Stopped bool
	// nothing else was running when the inquiry was stopped
	Alone bool
	USD   float64
}

// Advice is the consultant's structured answer.
type Advice struct {
	BottomLine string   `json:"bottom_line" jsonschema:"two or three sentences"`
	Steps      []string `json:"steps"`
	Effort     string   `json:"effort" jsonschema:"quick (under 1 hour), short (hours), medium (a day or two) or large"`
	Confidence string   `json:"confidence"`
	Risks      []string `json:"risks,omitempty"`
}

// Text returns the advice as text for people.
func (a Advice) Text() string {
	var b strings.Builder
	b.WriteString("Recommendation: " + strings.TrimSpace(a.BottomLine))
	for i, s := range a.Steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, plaintext.OneLine(s))
	}
	fmt.Fprintf(&b, "\nEffort: %s. Confidence: %s.", a.Effort, a.Confidence)
	for _, r := range a.Risks {
		fmt.Fprintf(&b, "\nRisk: %s", plaintext.OneLine(r))
	}
	return b.String()
}

// Missing returns what is wrong or missing in the advice, or an empty string if it may be given.
func (a Advice) Missing() string {
	var m missing
	m.addIf(plaintext.Blank(a.BottomLine), "bottom_line has to say what you recommend")
	m.addIf(len(a.Steps) > 7, "%d steps are too many to act on; seven at most", len(a.Steps))
	m.addIf(len(a.Risks) > 3, "name the three risks that matter most")
	return m.String()
}
