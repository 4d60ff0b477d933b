// Package probe tries to break out of a sandbox from the inside, in the same ways for every kind.
//
// LayBait lays out what must not be reached: a file, sockets, a process. A command that executes
// this program with Marker and the bait tries all of it and prints its findings, which
// ReadFindings reads. It does so when the package is initialized. A probe that is added to
// the table is tried in every kind before that kind is opened.
package probe
