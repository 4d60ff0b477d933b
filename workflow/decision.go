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
	AskedBy    []string // who asked for what it says, for where somebody else has to approve it
	Credits    []string // how a commit names them (see Person)
}

// Hash names the report's content together with what it was made on.
func (r Report) Hash() string {
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.BaseCommit + "\x00" + r.Text))
	return hex.EncodeToString(sum[:])
}

// A Permission is one person's yes, made from one message or one click of that person.
// Whatever lets work begin, go on or go out names one; the database refuses it where the
// person is not the author of the message.
type Permission struct {
	ID        string
	What      PermissionKind
	Revision  int    // that the thread was shown; 0: none was yet
	Message   int64  // the row of the inbox that it is made from
	MessageTS string // of that message, or of the message whose button was pressed
	User      string
	UserName  string
	// RestsOn are rows of the inbox: what a request is made of, or whose words were adopted.
	RestsOn []int64
	At      time.Time
}

// PermissionKind says what a permission is for.
type PermissionKind string

// The kinds of permission.
const (
	PermitReport        PermissionKind = "report"        // to mend what a root cause or a diagnosis says
	PermitPlan          PermissionKind = "plan"          // to do what a written plan says
	PermitUnderstanding PermissionKind = "understanding" // to build what an interview came to
	PermitRequest       PermissionKind = "request"       // to build what was asked for, as it was said back
	PermitResume        PermissionKind = "resume"        // to go on with what somebody stopped
	PermitAdopt         PermissionKind = "adopt"         // to take somebody else's words as one's own
	PermitPush          PermissionKind = "push"          // to push what decides more than what the code does
	PermitLimit         PermissionKind = "limit"         // to use more than a limit allows
	PermitPutBack       PermissionKind = "put_back"      // to put back what stood outside the scope of an approval
	PermitBackport      PermissionKind = "backport"      // to bring what was pushed to a release
)

// An Approval is a person's word on one revision. Only the program makes one.
type Approval struct {
	ID         string
	Permission string // that it was made from; empty for one from before there were permissions
	Session    string
	Revision   int
	ReportHash string
	BaseCommit string
	User       string
	UserName   string
	Credit     string // see Person
	Scope      string // empty: all of it
	MessageTS  string
	At         time.Time
}

// A Decision is kept for every word or click that asked for something, allowed or not.
type Decision struct {
	What      string // approve, stop, resume, adopt, speak
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
	Unproven  string // why nothing can be proven of these files; empty: they are proven
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
	Unproven   string // why nothing was proven of it; somebody allowed that by a word of its own
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

// MayApprove says why p may not approve work that the requesters asked for; empty when p
// may.
func (a Approvers) MayApprove(p Person, requesters ...string) string {
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
	case a.OtherThanRequester && slices.Contains(requesters, p.ID):
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

// Slug makes a branch name's readable part out of a title: whole words in lower case, 40
// characters at most. Only a first word that is longer is cut.
func Slug(title string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "change"
	}
	slug := words[0][:min(len(words[0]), most)]
	for _, word := range words[1:] {
		if len(slug)+1+len(word) > most {
			break
		}
		slug += "-" + word
	}
	return slug
}
