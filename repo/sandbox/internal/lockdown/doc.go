// Package lockdown confines this process and the processes that it will start. Apply sets rlimits, restricts
// file access with landlock, drops all capabilities and installs the seccomp filter, in this order. None of
// it can be undone.
package lockdown
