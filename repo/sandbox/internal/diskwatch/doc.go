// Package diskwatch detects that a command has written more bytes to the machine's disks, or created more
// files, than it may.
//
// New records the free space before the command starts. Run checks the free space of the file systems 20
// times a second; if enough of it is gone, it counts what was written to the directories since then.
// FindExcess with ended set detects a command that was too fast for Run. The written files stay. On systems
// other than Linux, nothing is watched.
package diskwatch
