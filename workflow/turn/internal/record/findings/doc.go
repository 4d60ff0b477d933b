// Package findings renders what a report found: the report for the thread, its evidence and
// reproduction for the Details modal, and all of it for workers, the reviewer and the explainer.
//
// Its functions are pure.
package findings
