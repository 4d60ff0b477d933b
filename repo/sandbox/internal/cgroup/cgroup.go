package cgroup

// Limits are the limits of a control group.
type Limits struct {
	Memory    int64 // bytes, of all processes together
	Processes int   // including threads
}
