// Package worker runs the tasks of a session: in parallel if they do not depend on each other, each by
// an agent of its category with the skills that the program enforces.
//
// A task ends when the program has proven its change. After two failed attempts (the default) the
// consultant is asked, and after one more failure the thread is.
package worker
