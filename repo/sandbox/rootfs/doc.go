// Package rootfs builds the file system that a command sees out of the machine's own, by the
// mount calls of Linux 5.12 and newer, in a name space that this process has for itself.
//
// OpenTrees copies the mounts that are to be shown while the machine can still be seen.
// NewRoot, the methods of Root and EnterRoot build a root of one's own; BuildDefault builds
// the usual one, with fresh /proc, /dev, /tmp and /home/box. Nothing follows a link out of the root.
package rootfs
