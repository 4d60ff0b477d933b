package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A Report is a root cause or a Diagnosis Report as it was shown: one revision, with the
// hash that an approval names.
type Report struct {
	Session    string
	Revision   int
	Kind       string // root_cause or diagnosis
	Body       json.RawMessage
	Text       string // exactly what the thread was shown
	BaseCommit string
	AskedBy    []string // who asked for what it says, for where somebody else has to approve it
	Credits    []string // how a commit names them (see Person)
}

// Hash names the report's content together with what it was made on.
func (r Report) Hash() string {
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.BaseCommit + "\x00" + r.Text))
	return hex.EncodeToString(sum[:])
}

// The kinds of what a person's word may stand on.
const (
	ReportRootCause = "root_cause"
	ReportDiagnosis = "diagnosis"
	ReportRequest   = "request"
	ReportPlan      = "plan"
)
