// Package findings words what a report found: its evidence and reproduction as people read them
// behind Details, and the whole report as workers, the reviewer and the explainer are told it.
//
// Its functions are pure.
package findings
