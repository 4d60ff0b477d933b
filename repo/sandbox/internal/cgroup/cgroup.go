package cgroup

// Limits are the limits of a control group.
type Limits struct {
	Memory    int64 // bytes, of all processes together
	Processes int   // including threads
	// KillOne lets the kernel kill one process of the group when the memory runs out, and not all of them.
	KillOne bool
}
