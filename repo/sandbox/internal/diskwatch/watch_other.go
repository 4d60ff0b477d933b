//go:build !linux

package diskwatch

import "context"

// A Watch watches nothing on this system.
type Watch struct{}

// New returns a Watch that does nothing.
func New(Limits, ...string) *Watch { return &Watch{} }

// CheckRoom returns nil.
func (*Watch) CheckRoom() error { return nil }

// Run returns at once.
func (*Watch) Run(context.Context, int, func(reason string)) {}

// FindExcess returns "".
func (*Watch) FindExcess(int, bool) string { return "" }

// Close does nothing.
func (*Watch) Close() {}
