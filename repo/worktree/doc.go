// Package worktree keeps the files of a session on disk: it writes them from a tree, finds
// what was changed by a walk over recorded stat data, and puts files back.
//
// A Worktree is two folders: dir/files, the plain tree, and dir/git, which holds the
// session's own objects and the state file. Create writes the state file last, so one that
// was interrupted is begun again. Whoever owns the files may change them at any time:
// every path goes through an os.Root, no symbolic link is followed, no pipe is opened, and
// no .git in the files is ever read.
package worktree
