// Package cgroup keeps the memory, the number of processes and the processor time of a
// command by control groups of the kernel, version 1 and 2.
//
// Find finds out by trying where groups can be made, and sweeps what killed programs left.
// A command starts within Group.Start, on a thread of its own, and Remove takes its groups
// away. Not being allowed any of it is the usual case and no error: *Groups and *Group are
// nil then, and their methods do nothing.
package cgroup
