// Package diagnosis holds the cause of a bug: the Report that a model fills in, with its Evidence and
// Hypotheses; Siblings, the other places with the same defect pattern; and a Lookback through the history
// and the releases. Missing returns what is incomplete in a report, and Text returns the text that people
// see. People approve one revision of a report as it was shown, which is a workflow.Report.
package diagnosis

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/expectation"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Evidence is one claim of a report and what supports it.
type Evidence struct {
	Claim  string `json:"claim"`
	Grade  string `json:"grade"`
	Source string `json:"source,omitempty"`
}

// A Hypothesis is one possible cause and the result of the probe that tested it.
type Hypothesis struct {
	Claim   string `json:"claim"`
	Probe   string `json:"probe"`
	Outcome string `json:"outcome"`
}

// Risk says how much a fix could break.
type Risk struct {
	Level  string `json:"level"`
	Reason string `json:"reason"`
}

// A Report is the content of a Diagnosis Report.
type Report struct {
	Changed       string       `json:"changed,omitempty"`
	Bug           string       `json:"bug"`
	RootCause     string       `json:"root_cause"`
	AffectedScope []string     `json:"affected_scope"`
	ProposedFix   []string     `json:"proposed_fix"`
	Risk          Risk         `json:"risk"`
	Hypotheses    []Hypothesis `json:"hypotheses"`
	Evidence      []Evidence   `json:"evidence"`
	Reproduction  string       `json:"reproduction,omitempty"`
	Example       string       `json:"example,omitempty"`
	Siblings      *Siblings    `json:"siblings,omitempty"`

	ExpectedChanges []expectation.Change `json:"expected_changes,omitempty"`
}

// diagnosisMark is the first and the last line of a Diagnosis Report.
const diagnosisMark = "=== Diagnosis Report ==="

// Text returns the Diagnosis Report in the form that people know.
func (d Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nBug: %s\nRoot cause: %s\nAffected scope:\n", diagnosisMark, plaintext.OneLine(d.Bug), plaintext.OneLine(d.RootCause))
	for _, s := range d.AffectedScope {
		fmt.Fprintf(&b, "- %s\n", plaintext.OneLine(s))
	}
	b.WriteString("Proposed fix:\n")
	for i, s := range d.ProposedFix {
		fmt.Fprintf(&b, "%d. %s\n", i+1, plaintext.OneLine(s))
	}
	fmt.Fprintf(&b, "Risk: %s - %s\n%s", d.Risk.Level, plaintext.OneLine(d.Risk.Reason), diagnosisMark)
	return b.String()
}

// Missing returns what is wrong or missing in the report, or an empty string if it may be shown.
func (d Report) Missing() string {
	switch {
	case plaintext.Blank(d.Bug) || plaintext.Blank(d.RootCause):
		return "bug and root_cause have to say something"
	case plaintext.AllBlank(d.AffectedScope):
		return "affected_scope has to name the records or users, and an estimated count"
	case plaintext.AllBlank(d.ProposedFix):
		return "proposed_fix has to have at least one step"
	case plaintext.Blank(d.Risk.Reason):
		return "risk needs a reason beside its level"
	case len(d.Evidence) == 0:
		return "evidence has to have at least one claim: {claim, grade: observed|inferred, source: file:line or command}"
	case len(d.Hypotheses) < 3 || len(d.Hypotheses) > 5:
		return fmt.Sprintf("a diagnosis weighs three to five hypotheses, each with its probe and outcome; there are %d", len(d.Hypotheses))
	}
	confirmed := 0
	for i, h := range d.Hypotheses {
		if plaintext.Blank(h.Claim) || plaintext.Blank(h.Probe) {
			return fmt.Sprintf("hypothesis %d needs a claim and the one probe that tested it", i+1)
		}
		if h.Outcome == "confirmed" {
			confirmed++
		}
	}
	if confirmed > 1 {
		return "more than one hypothesis is confirmed; probe until one is left, or leave them open"
	}
	return ""
}
