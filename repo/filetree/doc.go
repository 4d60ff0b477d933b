// Package filetree walks the files of a folder that somebody else may be changing meanwhile.
//
// A [Walk] visits everything below a folder except what .gitignore leaves out, with several
// goroutines, in no order. It goes through an [os.Root] and never follows a symbolic link, so
// nothing leads outside. It is bounded in entries and depth; Incomplete says that it left
// something out, for its bounds or because its context ended. [Ignore] holds the rules of one
// .gitignore above those of its parents, and [ReadEntry] reads one file of an open folder
// cheaply. What cannot be read is passed over; there are no errors.
package filetree
