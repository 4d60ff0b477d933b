// Package rootfs builds the file system that a command sees from the machine's own, with the mount calls of
// Linux 5.12 and newer, in this process's own mount name space.
//
// OpenTrees copies the mounts to show while the machine's file system is still visible. NewRoot, the methods
// of Root and EnterRoot build a custom root; BuildDefault builds the usual one, with fresh /proc, /dev, /tmp
// and /home/box. No operation follows a link out of the root.
package rootfs
