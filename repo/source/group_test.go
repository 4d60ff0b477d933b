package source

import "syscall"

// groupExists reports whether a process group has a process.
func groupExists(group int) bool { return syscall.Kill(-group, 0) == nil }
