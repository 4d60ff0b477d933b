package permit

import (
	"time"
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
