// Package history reads the history of commits: the log of a path, the commit that introduced a line,
// the changes of a commit, and the merge base of two commits. It reads only the object store, goes back
// newest first, and stops where a shallow clone ends.
package history
