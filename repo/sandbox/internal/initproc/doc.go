// Package initproc implements the first process inside a sandbox, which is this program, executed again. It
// builds what the command sees, gives up the rights that this needs, runs the command as its child, collects
// orphans and reports how the command ended. When it exits, the kernel kills all other processes inside.
//
// It starts in one of two ways. Start executes it in new name spaces, where it calls Run: it reads its Orders
// from a pipe and exits when the pipe is closed. If gVisor or a container engine has built the sandbox, it
// reads the orders from a file when this package is initialised.
package initproc
