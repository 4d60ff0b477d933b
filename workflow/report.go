package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
