// Package review has what a critic of a change is shown, and reads what it found: which of its
// findings cite a line that is there, which of them still stand once the work was mended, and
// how agents and people are told.
//
// Its functions are pure. A critic is asked once for a tree, in turn/delivery; its findings go
// back once under an approval.
package review
