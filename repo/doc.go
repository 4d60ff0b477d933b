// Package repo keeps git repositories for sessions: one bare mirror a
// repository, and for each session a workspace over it.
//
// A Mirror is cloned once, opened once a process and only grows: its packs are
// read by every session at the same time. Commits reads what it holds (package
// commits). A Workspace is two folders:
//
//	dir/files   the plain tree, all that an agent or a command ever sees
//	dir/git     what is the session's own: new objects, and the stat data that
//	            was recorded when the files were written
//
// There is no .git in dir/files. One that a command puts there is never read,
// never followed and never committed, and no git program runs on anything that
// an agent can write, so hooks, filters and settings of a hostile tree have
// nowhere to fire.
//
// Changes, Diff and Tree compare the files with the base by a walk of our own
// over the recorded stat data. Commit is deterministic: the same input gives
// the same hash, which is what makes a repeated push harmless. Push sends
// exactly the new objects to a branch under the allowed prefix, asks the remote
// before and after, never forces, and calls it a success when the branch is
// already where it should be.
//
// Hunks takes the difference apart and TakeOut puts chosen parts of it back.
// Fork gives a side task a workspace of its own, and Merge brings that, or a
// base that moved on, into the files: all of it, or nothing and the conflicts.
// SetBase then lets the workspace stand on the newer base.
//
// What a remote says no to is a *remote.Error, with a reason and a cure in words
// for people. What may pass by itself is tried a few times before, as RetryPolicy
// says; a refusal never is. Other errors mean that this machine failed.
package repo
