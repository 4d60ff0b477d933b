// Package probe tries to break out of a sandbox from the inside, in the same ways for every kind.
//
// LayBait creates things that must not be reachable: a file, sockets, a process. A command that executes this
// program with Marker and the bait runs all probes and prints the findings, which ReadFindings parses. The
// command runs the probes when the package is initialised. Every probe in the table runs in a kind before
// that kind is opened.
package probe
