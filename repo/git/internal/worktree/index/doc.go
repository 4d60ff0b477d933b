// Package index reads and writes the state file of a worktree. The file holds the commit and the tree that
// the files are compared with, and for each path of that tree the [Stat] of its file when the file last had
// that content. A file whose [Stat] is unchanged need not be read. [Index.Write] replaces the file as a
// whole, so a reader finds the old or the new state. [Read] returns an error for a damaged file and never
// takes it for an empty one.
package index
