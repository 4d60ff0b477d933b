// Package gvisor is the kind of sandbox whose commands meet a kernel of their own, written
// in Go, and never the machine's. This program executes itself in new name spaces, builds
// the file system and an OCI bundle in memory there, and runs runsc over them. Processes
// are counted from outside, since gVisor does not limit them.
package gvisor
