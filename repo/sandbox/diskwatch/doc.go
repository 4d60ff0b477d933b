// Package diskwatch finds out when a command has written more to the disks of the machine,
// or made more files, than it may.
//
// New notes how things stand, before the command starts. Run looks 20 times a second at
// what is free on the file systems, and counts what was written since in the directories
// once enough went of that. FindExcess with ended set finds what was too fast for it. What was
// written stays. On systems other than Linux nothing is watched.
package diskwatch
