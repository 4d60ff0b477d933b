//go:build !linux

package cgroup

import "syscall"

// Groups and Group are always nil on this system.
type (
	Groups struct{}
	Group  struct{}
)

// Find returns nil.
func Find() *Groups { return nil }

// Describe describes how limits are enforced.
func (*Groups) Describe() string { return "no limits but time and output" }

// NewGroup returns nil.
func (*Groups) NewGroup(Limits) *Group { return nil }

// Start calls begin.
func (*Group) Start(begin func() error) error { return begin() }

// PlaceIn does nothing.
func (*Group) PlaceIn(*syscall.SysProcAttr) {}

// HasController returns false.
func (*Group) HasController(string) bool { return false }

// OutOfMemory returns 0.
func (*Group) OutOfMemory() int { return 0 }

// Kill does nothing.
func (*Group) Kill() {}

// Remove does nothing.
func (*Group) Remove() {}

// MachineMemory returns 0.
func MachineMemory() int64 { return 0 }
