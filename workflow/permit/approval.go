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

// An Allowance is a person's permission to push a change that affects more than the
// code, or of which nothing could be proven. It is asked for when the work is finished,
// and holds for exactly the files of Tree. While User is empty, it has only been asked for.
type Allowance struct {
	ID        string
	Approval  string
	Tree      string
	Names     string // what the thread was asked about, word for word
	Unproven  string // why nothing can be proven of these files; empty: they are proven
	User      string
	UserName  string
	MessageTS string
}
