// Package worktree keeps the files of a session on disk. It writes them from a tree, finds changes by a
// walk that compares recorded stat data, and restores files.
//
// A Worktree is two folders: dir/files holds the plain tree, and dir/git holds the session's own objects
// and the state file. Create writes the state file last, so an interrupted Create starts again from
// nothing. The owner of the files may change them at any time: every path goes through an os.Root, no
// symbolic link is followed, no pipe is opened, and no .git in the files is ever read.
package worktree
