// Package cgroup limits the memory, the number of processes and the processor time of a command with control
// groups of the kernel, version 1 and 2.
//
// Find tests where groups can be created, and removes groups that killed programs left behind. A command is
// started within Group.Start, on its own thread, and Remove removes its groups. If this program is not
// allowed to create groups, which is the usual case and not an error, *Groups and *Group are nil, and their
// methods do nothing.
package cgroup
