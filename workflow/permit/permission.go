// Package permit defines what people allow. Each of its types is a row that names the message of its
// author: a Permission for everything that begins, continues or leaves the program, the Approval of
// one revision of a report, the Allowance of a push that affects more than the code, and
// the Removal of code outside the scope of an approval. Approvers says who may approve.
//
// Only the program creates these values. turn/permission decides who may give
// a permission, turn/approval judges what a person said, and store/consent
// stores the rows. A new kind of permission is a new Kind here.
package permit

import (
	"time"
)

// A Permission is one person's consent, made from one message or one button press of
// that person. Everything that lets work begin, continue or go out names a
// Permission. The database refuses one whose person is not the author of its message.
type Permission struct {
	ID        string
	What      Kind
	Revision  int    // newest revision that the thread was shown; 0: none yet
	Message   int64  // id of the inbox row that it is made from
	MessageTS string // ts of that message, or of the message whose button was pressed
	User      string
	UserName  string
	// RestsOn holds the ids of other inbox rows: the messages that
	// a request is made of, or that were adopted.
	RestsOn []int64
	At      time.Time
}

// Kind is what a permission allows.
type Kind string

// The kinds of permission.
const (
	Report        Kind = "report"        // to fix what a root cause or a diagnosis describes
	Plan          Kind = "plan"          // to do what a written plan says
	Understanding Kind = "understanding" // to build what an interview concluded
	Request       Kind = "request"       // to build what was asked for, as the bot restated it
	Resume        Kind = "resume"        // to continue work that was stopped
	Adopt         Kind = "adopt"         // to adopt another person's words
	Push          Kind = "push"          // to push a change that affects more than the code
	Limit         Kind = "limit"         // to use more than a limit allows
	PutBack       Kind = "put_back"      // to put back code that was removed as outside the scope of an approval
	Backport      Kind = "backport"      // to bring a pushed change to a release
)
