package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
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
}

// Hash names the report's content together with what it was made on.
func (r Report) Hash() string {
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.BaseCommit + "\x00" + r.Text))
	return hex.EncodeToString(sum[:])
}

// An Approval is a person's word on one revision. Only the program makes one.
type Approval struct {
	ID         string
	Session    string
	Revision   int
	ReportHash string
	BaseCommit string
	User       string
	UserName   string
	Scope      string // empty: all of it
	MessageTS  string
	At         time.Time
}

// A Decision is kept for every word or click that asked for something, allowed or not.
type Decision struct {
	What      string // approve, stop, start
	Allowed   bool
	Reason    string
	User      string
	MessageTS string
	Revision  int
}

// An Allowance is a person's word on a change that decides more than what the code does,
// asked for when the work was proven, and given on exactly these files. Without User it
// was asked for only.
type Allowance struct {
	ID        string
	Approval  string
	Tree      string
	Names     string // what the thread was asked, word for word
	User      string
	UserName  string
	MessageTS string
}

// A Push is the intent to push, kept before it happens and settled after it.
type Push struct {
	Commit     string
	Tree       string
	BaseCommit string
	Branch     string
	Approval   string
	ReportHash string // of the report that the approval is of; the store fills it in
	State      PushState
	Reason     string
}

// PushState is where a push stands.
type PushState string

// The states of a push.
const (
	PushIntended PushState = "intended"
	PushDone     PushState = "pushed"
	PushRefused  PushState = "refused"
)

// Approvers says whose word counts for a repository.
type Approvers struct {
	People             []string // Slack user ids; empty: any full member who is in the channel
	OtherThanRequester bool
}

// MayApprove says why p may not approve work that requester asked for; empty when p may.
func (a Approvers) MayApprove(p Person, requester string) string {
	switch {
	case p.Bot:
		return "bots cannot approve"
	case p.Deleted:
		return "that account is deactivated"
	case p.Stranger:
		return "people from another workspace cannot approve"
	case p.Guest:
		return "guests cannot approve"
	case !p.InThread:
		return "only members of this channel can approve"
	case a.OtherThanRequester && p.ID == requester:
		return "somebody other than the person who asked has to approve"
	case len(a.People) > 0 && !slices.Contains(a.People, p.ID):
		return "this repository names its approvers"
	}
	return ""
}

// Who describes in words whose approval counts.
func (a Approvers) Who() string {
	who := "Any full member of the workspace who is in this channel can"
	if len(a.People) > 0 {
		who = "The approvers of this repository can"
	}
	if a.OtherThanRequester {
		who += ", except the person who asked"
	}
	return who + "."
}

// Slug makes a branch name's readable part out of a title: lower case, words joined by
// hyphens, 40 characters at most.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 40 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "change"
}
