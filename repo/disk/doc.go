// Package disk handles files and folders that another process may be changing at the same time.
//
// RemoveFolder removes folders of any depth and with any permissions, DiskUse measures the disk use of
// files; neither follows symbolic links. PlainFS opens only regular files and folders, and follows only
// links that stay below its root. A [Lock] is a file that one process at a time holds.
//
// A [Walk] visits everything below a folder except what .gitignore excludes, with several goroutines,
// in no order. It goes through an [os.Root] and never follows a symbolic link, so it cannot leave the
// root. Entries and depth are bounded; Incomplete is set if the walk left something out, because of a
// bound or because its context ended. [Ignore] holds the rules of one .gitignore and refers to those of
// its parents, and [ReadEntry] reads one file of an open folder cheaply. A walk skips what it cannot
// read and returns no errors.
package disk
