// Package process asks the kernel about processes: which are below one, when one started and what
// it holds, measured as often as needed. It also starts a process so that it ends with its
// parent, inherits nothing, and may be the root of a user name space.
package process
