// Package history reads commits: the log of a path, the commit that a line comes from, what a
// commit changed, and the merge base of two commits. It goes back through the object store alone,
// newest first, and stops where a shallow clone ends.
package history
