// Package seccomp provides the system call filter that all confining kinds of sandbox share: NewFilter
// returns it as a program for this process, EncodeFilter in the format of bwrap. Calls that reach other
// processes, mounts, name spaces or kernel internals fail with EPERM.
package seccomp
