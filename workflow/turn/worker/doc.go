// Package worker does the tasks of a session: side by side what does not depend on each
// other, each by an agent of its category with the skills that it is held to.
//
// A task ends when the program has proven it. After two failed attempts the consultant is
// asked, and after the one that follows its recommendation the thread is.
package worker
