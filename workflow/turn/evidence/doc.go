// Package evidence holds a report's claims against the session: what is called observed has to
// have been read or run, a reproduction has to show the bug by how it ends, and the reporter's
// own example is not passed over.
//
// Its functions are pure, and answer in words for the model; empty where nothing is wrong.
package evidence
