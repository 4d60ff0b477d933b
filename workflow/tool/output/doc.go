// Package output captures what a command prints: both ends in memory for the model, and the
// whole in a file that the agents of a session may read later.
//
// [NewCapture] begins a capture, which is an io.Writer that never fails. Text gives the two
// ends, and Finish closes the file, and removes it where the model was shown everything.
// [LoadOutput] reads a kept output by its name, and no other file.
package output
