// Package git keeps git repositories for sessions: one bare mirror per repository, and for each session
// a workspace over it.
//
// A Mirror is cloned once, opened once per process, and only grows: all sessions read its packs at the
// same time. Its Commits method reads its
// [Commits]: it finds them by name, reads their content and history, and a CommitSpec writes new ones. A name
// is a branch, a tag (if no branch has the same name), a whole hash, or a shortened hash with which no other
// commit's hash begins. A Workspace is two folders:
//
//	dir/files   the plain files, which are all that an agent or a command ever sees
//	dir/git     the session's own data: new objects, and the stat data that
//	            was recorded when the files were written
//
// There is no .git in dir/files. A .git that a command creates there is never read, followed or
// committed, and no git program runs on anything that an agent can write. So hooks, filters and
// settings of a hostile tree are never executed.
//
// Changes, Diff and Tree compare the files with the base by walking them and checking the recorded stat
// data. Commit is deterministic: the same input gives the same hash, so a repeated push is harmless.
// Push sends only the new objects to a branch under the allowed prefix. It asks the remote for the
// branch's commit before and after, never forces, and succeeds if the branch is already at the pushed
// commit.
//
// ListHunks splits the difference from the base into hunks, and TakeOut reverts chosen hunks. Fork
// makes a workspace for a side task. Merge brings the changes of a fork, or of a newer base, into the
// files: either all of them, or none and the list of conflicts. SetBase then makes the newer commit the
// base of the workspace.
//
// An error of a remote is a *remote.Error, with a reason and a cure in words for people. A fault that
// may pass by itself is retried a few times before it is reported, as RetryPolicy says; a refusal is
// never retried. Other errors mean that this machine failed.
package git
