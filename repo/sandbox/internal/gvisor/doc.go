// Package gvisor implements the kind of sandbox whose commands run on gVisor's kernel, which is written in
// Go, and never use the machine's. This program executes itself in new name spaces, builds the file system
// and an OCI bundle in memory there, and runs runsc on them. Processes are counted from outside, because
// gVisor does not limit them.
package gvisor
