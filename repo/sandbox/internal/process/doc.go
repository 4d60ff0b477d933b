// Package process reads from the kernel which processes are below another one, when a process started and how
// much memory it uses, and repeats such measurements. It also starts processes that end with their parent,
// that inherit no descriptors, and that may be the first process of a user name space.
package process
