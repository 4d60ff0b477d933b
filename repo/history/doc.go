// Package history reads commits: the log of a path, who brought a line, what a commit
// changed, and where two commits part. It goes back through the object store alone, newest
// first, and stops where a shallow clone ends.
package history
