// Package worktree is where the agents of a turn look and work: the repository's mirror, a
// copy to look at, the session's own tree after an approval, and a fork for each task that
// runs beside others.
//
// Open chooses the repository, fixes the base commit and opens the trees; Close closes them.
// What a tree is now is recorded as a snapshot with whatever changed it, so that another
// machine makes the same files from rows.
package worktree
