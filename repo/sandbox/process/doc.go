// Package process has what the kernel knows of processes: which are below one, when one
// started and what it holds, measured as often as it has to be; and how one is started so
// that it ends with its parent, inherits nothing and may be the root of a user name space.
package process
