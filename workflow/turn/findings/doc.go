// Package findings words what a report found: the report as the thread sees it, its evidence and
// reproduction as people read them behind Details, and the whole as workers, the reviewer and the
// explainer are told it.
//
// Its functions are pure.
package findings
