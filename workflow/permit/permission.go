// Package permit is what people allow, each a row that names its author's message: a Permission
// for everything that begins, goes on or goes out, the Approval of one revision of a report, the
// Allowance of a change that decides more than what the code does, and the Removal of what stood
// outside the scope of an approval. Approvers says whose word counts.
//
// Only the program makes these. turn/permission decides who may, turn/approval judges what was
// said, and store/consent keeps the rows. A new kind of yes is a Kind here.
package permit

import (
	"time"
)

// A Permission is one person's yes, made from one message or one click of that person.
// Whatever lets work begin, go on or go out names one; the database refuses it where the
// person is not the author of the message.
type Permission struct {
	ID        string
	What      Kind
	Revision  int    // that the thread was shown; 0: none was yet
	Message   int64  // the row of the inbox that it is made from
	MessageTS string // of that message, or of the message whose button was pressed
	User      string
	UserName  string
	// RestsOn are rows of the inbox: what a request is made of, or whose words were adopted.
	RestsOn []int64
	At      time.Time
}

// Kind says what a permission is for.
type Kind string

// The kinds of permission.
const (
	Report        Kind = "report"        // to mend what a root cause or a diagnosis says
	Plan          Kind = "plan"          // to do what a written plan says
	Understanding Kind = "understanding" // to build what an interview came to
	Request       Kind = "request"       // to build what was asked for, as it was said back
	Resume        Kind = "resume"        // to go on with what somebody stopped
	Adopt         Kind = "adopt"         // to take somebody else's words as one's own
	Push          Kind = "push"          // to push what decides more than what the code does
	Limit         Kind = "limit"         // to use more than a limit allows
	PutBack       Kind = "put_back"      // to put back what stood outside the scope of an approval
	Backport      Kind = "backport"      // to bring what was pushed to a release
)
