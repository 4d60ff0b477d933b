package cgroup

// Limits are what a control group keeps.
type Limits struct {
	Memory    int64 // bytes, in all processes together
	Processes int   // threads included
}
