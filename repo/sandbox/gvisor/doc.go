// Package gvisor is the kind of sandbox whose commands run on gVisor's kernel, written in Go, and
// never meet the machine's. This program executes itself in new name spaces, builds the file
// system and an OCI bundle in memory there, and runs runsc over them. Processes are counted from
// outside, since gVisor does not limit them.
package gvisor
