// Package index is the record of a worktree: the commit and the tree that its files are compared
// with, and of each of their paths what the file on the disk looked like when it was last seen
// to hold that. A file whose [Stat] is still the same need not be read. [Index.Write] replaces
// the file as a whole, so whoever reads it finds the record before or after. What [Read]
// cannot make sense of is an error: a damaged record is never taken for an empty one.
package index
