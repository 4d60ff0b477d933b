// Package seccomp is the filter of system calls that is the same for every kind of sandbox:
// NewFilter as a program for this process, EncodeFilter as bwrap reads it. Calls that reach
// other processes, mounts, name spaces or the kernel's own workings answer EPERM.
package seccomp
