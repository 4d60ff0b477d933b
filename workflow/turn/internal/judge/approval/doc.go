// Package approval judges the messages and presses that permit something: an approval of a report, a
// plan or a shared understanding, the permission for a push, a backport, the adoption of another
// person's request, passing held messages on, and going on after a stop.
//
// Each judgement returns the parts to record (see workflow/store), and records nothing itself. Whatever
// may change between the judgement and the recording is checked again by the database in the recording's
// transaction.
package approval
