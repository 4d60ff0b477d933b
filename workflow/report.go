package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// A Report is a root cause, a Diagnosis Report, a restated request or a plan as it was shown: one
// revision, with the hash that an approval names.
type Report struct {
	Session  string
	Revision int
	// one of the kinds below
	Kind string
	Body json.RawMessage
	// exactly what the thread was shown
	Text       string
	BaseCommit string
	// ids of the people who asked for its content, for when another person has to approve it
	AskedBy []string
	// how a commit names them (see Person)
	Credits []string
}

// Hash returns a hash of the report's content and of the commit that it was made on.
func (r Report) Hash() string {
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.BaseCommit + "\x00" + r.Text))
	return hex.EncodeToString(sum[:])
}

// The kinds of report that a person can approve.
const (
	ReportRootCause = "root_cause"
	ReportDiagnosis = "diagnosis"
	ReportReview    = "review" // of a pull request
	ReportRequest   = "request"
	ReportPlan      = "plan"
)

// Files returns the paths of the files that the report says will change: those that a request or a plan
// lists, and those that a cause or a proposed fix cites with a line.
func (r Report) Files() (paths []string) {
	var body struct {
		Files       []string      `json:"files"`
		Tasks       []PlannedTask `json:"tasks"`
		Cause       string        `json:"cause"`
		RootCause   string        `json:"root_cause"`
		Change      string        `json:"change"`
		ProposedFix []string      `json:"proposed_fix"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil // no report has such a body
	}
	paths = body.Files
	for _, t := range body.Tasks {
		paths = append(paths, t.Files...)
	}
	cited := slices.Concat([]string{body.Cause, body.RootCause, body.Change}, body.ProposedFix)
	for _, word := range strings.Fields(strings.Join(cited, " ")) {
		word = strings.Trim(word, "`'\"()[],;.")
		if path, line, ok := strings.Cut(word, ":"); ok && path != "" && line != "" &&
			line[0] >= '0' && line[0] <= '9' {
			paths = append(paths, path)
		}
	}
	return paths
}
