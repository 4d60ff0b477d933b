package workflow

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A PullReview is the content of a review of a pull request.
type PullReview struct {
	Changed  string          `json:"changed,omitempty"`
	Summary  string          `json:"summary" jsonschema:"the verdict"`
	Findings []ReviewFinding `json:"findings"`
	Looked   string          `json:"looked" jsonschema:"what you read, and what not; the program says what was run"`
}

// A ReviewFinding is a problem at a line of a pull request.
type ReviewFinding struct {
	At      string `json:"at"`     // file:line
	Weight  string `json:"weight"` // one of the constants below
	Problem string `json:"problem"`
	Change  string `json:"change,omitempty"`
}

// The weights of a finding.
const (
	WeightMust   = "must"   // it is wrong, and should not be merged so
	WeightShould = "should" // it works, and should be better
	WeightNote   = "note"
)

// Missing returns what is missing in the review, or an empty string if it may be shown.
func (r PullReview) Missing() string {
	var m missing
	m.addIf(plaintext.Blank(r.Summary) || plaintext.Blank(r.Looked),
		"summary and looked have to say something")
	for i, f := range r.Findings {
		m.addIf(plaintext.Blank(f.Problem) || !strings.Contains(f.At, ":"),
			"finding %d needs a line (at: file:line) and a problem", i+1)
	}
	return m.String()
}

// Evidence returns the findings as claims about what was read.
func (r PullReview) Evidence() (all []Evidence) {
	for _, f := range r.Findings {
		all = append(all, Evidence{Claim: f.Problem, Grade: GradeObserved, Source: f.At})
	}
	return all
}

// Text lists the findings with their numbers, by which people limit what is fixed.
func (r PullReview) Text() string {
	if len(r.Findings) == 0 {
		return "Nothing was found."
	}
	var lines []string
	for i, f := range r.Findings {
		line := fmt.Sprintf("%d. %s: %s: %s", i+1, f.Weight, plaintext.CodeSpan(f.At),
			plaintext.OneLine(f.Problem))
		if change := plaintext.OneLine(f.Change); change != "" {
			line += " → " + change
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
