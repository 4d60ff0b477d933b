// Package probe is what is tried against a sandbox from the inside, the same for every kind.
//
// LayBait puts out what must not be reached: a file, sockets, a process. A command that
// executes this program with Marker and the bait tries all of it and prints its findings,
// which ReadFindings reads. Main has to be called at the start of the program. A probe
// that is added to the table is tried in every kind before it is opened.
package probe
