// Package initproc is the first process inside a sandbox: this program, executed again. It
// builds what the command sees, gives up what it needed for that, runs the command as its
// child, takes in orphans and reports how the command ended. With it everything else inside
// ends.
//
// There are two ways in. Start executes it in new name spaces, where Run is its life: it
// reads its Orders from a pipe, whose end is its end. Where gVisor or a container engine
// built what is around it, the orders are read from a file,
// as soon as this package is initialized.
package initproc
