//go:build !linux

package cgroup

import "syscall"

// Groups are not to be had here, and neither is a Group: all of them are nil.
type (
	Groups struct{}
	Group  struct{}
)

// Find finds none.
func Find() *Groups { return nil }

// Describe says what holds the limits.
func (*Groups) Describe() string { return "no limits but time and output" }

// NewGroup is nil.
func (*Groups) NewGroup(Limits) *Group { return nil }

// Start calls begin.
func (*Group) Start(begin func() error) error { return begin() }

// PlaceIn does nothing.
func (*Group) PlaceIn(*syscall.SysProcAttr) {}

// HasController is false.
func (*Group) HasController(string) bool { return false }

// OutOfMemory is false.
func (*Group) OutOfMemory() bool { return false }

// Kill does nothing.
func (*Group) Kill() {}

// Remove does nothing.
func (*Group) Remove() {}
