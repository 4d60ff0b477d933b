// Package evidence checks a report's claims against the session: what is graded as observed must have
// been read or run, a reproduction must show the bug by how it ends, and the reporter's own example
// must not be ignored.
//
// Its functions are pure. They return a text for the model, or an empty string if nothing is wrong.
package evidence
