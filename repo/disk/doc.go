// Package disk removes folders of any depth and with any permissions, measures the disk use of files, and
// opens only regular files and folders. RemoveFolder and DiskUse do not follow symbolic links; PlainFS
// follows only links that stay below its root.
package disk
