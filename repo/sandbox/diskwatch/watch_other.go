//go:build !linux

package diskwatch

import "context"

// A Watch watches nothing here.
type Watch struct{}

// New notes nothing.
func New(Limits, ...string) *Watch { return &Watch{} }

// CheckRoom finds room.
func (*Watch) CheckRoom() error { return nil }

// Run returns at once.
func (*Watch) Run(context.Context, int, func(reason string)) {}

// FindExcess finds none.
func (*Watch) FindExcess(int, bool) string { return "" }

// Close does nothing.
func (*Watch) Close() {}
