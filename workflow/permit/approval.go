package permit

import (
	"time"
)

// An Approval records that a person approved one revision of a report. Only the program creates one.
type Approval struct {
	ID         string
	Permission string // id of the Permission that it was made from; empty in a row from before permissions existed
	Session    string
	Revision   int
	ReportHash string
	BaseCommit string
	User       string
	UserName   string
	Credit     string // see workflow.Person
	Scope      string // limits the approval to a part of the report; empty: all of it
	MessageTS  string
	At         time.Time
}

// A Decision records a message or button press that asked for something, and whether it was allowed.
type Decision struct {
	What      string // approve, stop, resume, adopt, speak and others
	Allowed   bool
	Reason    string
	User      string
	MessageTS string
	Revision  int
}

// An Allowance is a person's permission to push a change for which the approval does not suffice, for the
// reasons that it names. It is asked for when the work is finished, and holds for exactly the files of Tree.
// While User is empty, it has only been asked for.
type Allowance struct {
	ID           string
	Approval     string
	Tree         string
	Names        string  // what the thread was asked about, word for word
	Paths        string  // the changed paths that decide more than the code, one a line
	Unproven     string  // why nothing can be proven of these files; empty: they are proven
	Objections   []int64 // the objections that it overrules
	Expectations string  // the expectations of tests that changed, one a line
	User         string
	UserName     string
	MessageTS    string
}

// An Objection is what a person has against approved work that is not pushed yet. It keeps the work from being
// pushed until that person takes it back, or an Allowance names it.
type Objection struct {
	ID        int64
	Approval  string
	Message   int64  // id of the inbox row: a message, a reaction, an edit or a deletion
	MessageTS string // ts of the message that objects, was reacted to, edited or deleted
	User      string
	UserName  string
	How       ObjectionKind
	Words     string // in one line, cut; the name of the emoji for a reaction
	At        time.Time
}

// ObjectionKind says how a person objected.
type ObjectionKind string

// The kinds of objection. The last two void the approval that was edited or deleted, and cannot be taken back.
const (
	ByMessage  ObjectionKind = "message"
	ByReaction ObjectionKind = "reaction"
	ByEdit     ObjectionKind = "edit"
	ByDeletion ObjectionKind = "deletion"
)

// String says in a few words who objects to what.
func (o Objection) String() string {
	switch o.How {
	case ByReaction:
		return o.UserName + " reacted with :" + o.Words + ":"
	case ByEdit:
		return o.UserName + ` edited the approval to "` + o.Words + `"`
	case ByDeletion:
		return "The approval of " + o.UserName + " was deleted"
	}
	return o.UserName + `: "` + o.Words + `"`
}
