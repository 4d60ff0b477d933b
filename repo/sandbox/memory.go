package sandbox

import "github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"

// MachineMemory returns the memory in bytes that this program and its commands may use together: that of the
// machine, or of the container if that is less. It returns 0 if it is unknown.
func MachineMemory() int64 { return cgroup.MachineMemory() }
