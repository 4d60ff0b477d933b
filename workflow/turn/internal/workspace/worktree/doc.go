// Package worktree opens the files that the agents of a turn work with: a mirror of the repository, a
// copy to read, the session's own workspace after an approval, and a fork of it for each task that runs
// in parallel to others.
//
// Trees.Open chooses the repository, sets the base commit and opens the workspaces; Trees.Close closes
// them. The state of a workspace is recorded as a snapshot, in the transaction of the change that led to
// it, so that another machine can make the same files from rows.
package worktree
