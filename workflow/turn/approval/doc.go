// Package approval judges the words and presses that permit something: an approval of a
// report, a plan or a shared understanding, the word on a push, adopting somebody's request,
// passing held words on, going on after a stop.
//
// Each judgement returns the parts that it comes to (see workflow/store), and records
// nothing. What may change between the judgement and the row is checked again by the
// database when they are recorded.
package approval
