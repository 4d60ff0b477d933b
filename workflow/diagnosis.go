package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The grades of evidence.
const (
	GradeObserved = "observed" // read or run in the session
	GradeReported = "reported" // said by a person; only the program grades so
	GradeInferred = "inferred"
)

// Evidence is one claim of a report and what supports it.
type Evidence struct {
	Claim  string `json:"claim"`
	Grade  string `json:"grade"` // a constant Grade…
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

// A DiagnosisReport is the content of a Diagnosis Report.
type DiagnosisReport struct {
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
	Remains       string       `json:"remains" jsonschema:"as in report_root_cause"`

	ExpectedChanges []ExpectedChange `json:"expected_changes,omitempty"`
}

// diagnosisMark is the first and the last line of a Diagnosis Report.
const diagnosisMark = "=== Diagnosis Report ==="

// Text returns the Diagnosis Report in the form that people know.
func (d DiagnosisReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nBug: %s\nRoot cause: %s\nAffected scope:\n", diagnosisMark, plaintext.OneLine(d.Bug),
		plaintext.OneLine(d.RootCause))
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
func (d DiagnosisReport) Missing() string {
	var m missing
	m.addIf(plaintext.Blank(d.Bug) || plaintext.Blank(d.RootCause),
		"bug and root_cause have to say something")
	m.addIf(plaintext.AllBlank(d.AffectedScope),
		"affected_scope has to name the records or users, and an estimated count")
	m.addIf(plaintext.AllBlank(d.ProposedFix), "proposed_fix has to have at least one step")
	m.addIf(plaintext.Blank(d.Risk.Reason), "risk needs a reason beside its level")
	m.addIf(len(d.Evidence) == 0, "evidence has to have at least one claim: {claim, grade: "+
		"observed|inferred, source: file:line or command}")
	m.addIf(len(d.Hypotheses) < 3 || len(d.Hypotheses) > 5,
		"a diagnosis weighs three to five hypotheses, each with its probe and outcome; there are %d",
		len(d.Hypotheses))
	confirmed := 0
	for i, h := range d.Hypotheses {
		m.addIf(plaintext.Blank(h.Claim) || plaintext.Blank(h.Probe),
			"hypothesis %d needs a claim and the one probe that tested it", i+1)
		if h.Outcome == "confirmed" {
			confirmed++
		}
	}
	m.addIf(confirmed > 1,
		"more than one hypothesis is confirmed; probe until one is left, or leave them open")
	return m.String()
}

// missing lists what a call of a tool lacks.
type missing []string

// addIf adds what is lacking if wrong is true.
func (m *missing) addIf(wrong bool, format string, args ...any) {
	if wrong {
		*m = append(*m, fmt.Sprintf(format, args...))
	}
}

// mostMissing is how many things are named that a call lacks.
const mostMissing = 8

func (m missing) String() string {
	if len(m) > mostMissing {
		m = append(m[:mostMissing:mostMissing], fmt.Sprintf("and %d more", len(m)-mostMissing))
	}
	return strings.Join(m, "; ")
}

// Siblings lists the places of a tree that match the pattern of a defect, except the defect itself.
type Siblings struct {
	Pattern string    `json:"pattern"` // RE2, or plain text if Literal is set
	Literal bool      `json:"literal,omitempty"`
	Places  []Sibling `json:"places,omitempty"`
	Partly  bool      `json:"partly,omitempty"` // not every file was searched; set by the program
}

// A Sibling is one of these places, with the verdict on it.
type Sibling struct {
	At      string `json:"at"` // file:line
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
	InFix   bool   `json:"in_fix,omitempty"` // the report says that this place changes; set by the program
}

// The verdicts on a sibling. The program sets SiblingNotLookedAt on a place that the model did not judge, or
// judged without having read it.
const (
	SiblingAffected    = "affected"
	SiblingNotAffected = "not_affected"
	SiblingNotLookedAt = "not_looked_at"
)

// A Lookback searches a repository's history and its releases for the commits and releases at which the
// probe of a bug is red.
type Lookback struct {
	ID         int64
	Session    string
	Key        string // push:COMMIT or report:REVISION
	Repository string
	Base       string          // the commit at which the probe is red
	Probe      json.RawMessage // what is run (see package past of repo/proof)
	Found      *LookbackFound  // nil until the search is done
}

// A LookbackFound is the result of a Lookback.
type LookbackFound struct {
	First string // the commit that introduced the bug; empty: not known for certain
	// First as text for people, or the nearest bounds and the reason; empty: nothing is known
	Since    string
	Releases []ReleaseVerdict // newest first
	// of a change that was pushed for a release; nil: a run on it says more, or there is no such branch
	Own *OwnVerdict `json:",omitempty"`
}

// An OwnVerdict says, by what the command of the report showed before or else by the lines alone, whether a
// change that was pushed for a release is for the repository's own base, too.
type OwnVerdict struct {
	Name   string   // of the branch
	Answer string   // one of the answers below
	Files  []string `json:",omitempty"` // where it does not fit
}

// The answers of an OwnVerdict.
const (
	OwnRed        = "red"
	OwnGreen      = "green"
	OwnFits       = "fits"
	OwnHasIt      = "has it"
	OwnDiffers    = "differs"
	OwnLacksFiles = "lacks files"
)

// A ReleaseVerdict says whether a release has the bug.
type ReleaseVerdict struct {
	Name   string
	Commit string
	Branch bool   // true for a branch, false for a tag
	Answer string // red, green or unclear
	Why    string // the reason, if Answer is unclear
}

// A LookbackTry is the result of the nth run of the probe at a commit.
type LookbackTry struct {
	Commit      string
	Nth         int
	Answer, Why string
	TookMS      int64
}
