// Package lockdown takes from this process, and from those that it will start, what a command
// must not have. Apply sets rlimits, confines files by landlock, empties all sets of capabilities
// and installs the seccomp filter, in this order and for good.
package lockdown
