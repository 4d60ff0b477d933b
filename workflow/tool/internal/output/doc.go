// Package output captures what a command prints: the beginning and the end in memory for the model, and the
// whole in a file that the agents of a session can read later.
//
// [NewCapture] returns a Capture, an io.Writer that never fails. Text returns the two ends. Finish closes the
// file, and removes it if the model was shown everything. [LoadOutput] reads a kept output by its name, and
// no other file.
package output
