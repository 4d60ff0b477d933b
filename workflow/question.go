package workflow

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Question was put to the thread, with its options and the one that is taken where
// nobody answers.
type Question struct {
	ID          int64
	Session     string
	Text        string
	Options     []string
	Recommended string
	Open        []OpenDecision // what else is undecided, for an interview that is wrapped up
	Due         time.Time      // when the recommended option is taken; zero: never
	Answer      string         // empty while it waits
}

// An OpenDecision is a question that was not put yet, and the answer that stands for it.
type OpenDecision struct {
	Question    string `json:"question"`
	Recommended string `json:"recommended"`
}

// Defaults says which answers are taken where the interview ends here.
func (q Question) Defaults() string {
	lines := []string{fmt.Sprintf("%s → %s", plaintext.OneLine(q.Text), q.Recommended)}
	for _, d := range q.Open {
		lines = append(lines, fmt.Sprintf("%s → %s", plaintext.OneLine(d.Question), plaintext.OneLine(d.Recommended)))
	}
	return plaintext.List(lines)
}

// InquiryKind says who looks into an inquiry and what for.
type InquiryKind string

// The kinds of inquiry.
const (
	InquiryConsult InquiryKind = "consult" // the consultant recommends
	InquiryExplain InquiryKind = "explain" // a diff is explained hunk by hunk
	InquiryScope   InquiryKind = "scope"   // a diff is held against the scope of its approval
	InquiryReview  InquiryKind = "review"  // a change is reviewed before its push
	InquiryOwners  InquiryKind = "owners"  // the program says who knows the code; no agent is asked
	InquiryBase    InquiryKind = "base"    // people were told that a base which moved clashes
)

// An Inquiry is a question to an agent that only reads. Its answer is typed, by kind.
type Inquiry struct {
	ID       int64
	Session  string
	Kind     InquiryKind
	Key      string // natural: the tool call, the message or the tree that it is about; one inquiry each
	Question string
	By       string // Slack id of the person who asked; empty: the program or the orchestrator
	Answer   json.RawMessage
	Applied  bool // a recommendation that the orchestrator acted on; of a review: it went back
	Stopped  bool // a stop ended it: it is asked again when the session goes on
	Alone    bool // and nothing else was under way when it was stopped
	USD      float64
}

// Advice is the consultant's typed answer.
type Advice struct {
	BottomLine string   `json:"bottom_line" jsonschema:"two or three sentences"`
	Steps      []string `json:"steps"`
	Effort     string   `json:"effort" jsonschema:"quick (under an hour), short (hours), medium (a day or two) or large"`
	Confidence string   `json:"confidence"`
	Risks      []string `json:"risks,omitempty"`
}

// Text is the advice for people.
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

// Missing says what the advice lacks; empty when it may be given.
func (a Advice) Missing() string {
	switch {
	case blank(a.BottomLine):
		return "bottom_line has to say what you recommend"
	case len(a.Steps) > 7:
		return fmt.Sprintf("%d steps are too many to act on; seven at most", len(a.Steps))
	case len(a.Risks) > 3:
		return "name the three risks that matter most"
	}
	return ""
}

// MostQuestions is how many an interview may put: five to ten minutes of somebody's time.
// A person may ask for as many again.
const MostQuestions = 12
