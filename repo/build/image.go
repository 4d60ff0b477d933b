package build

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Sandbox returns the sandbox of the repository's commands: that of Caches, or the one with the image that
// UseEnvironment found. It is nil if there is none.
func (c *Cache) Sandbox() *sandbox.Sandbox {
	if box := c.box.Load(); box != nil {
		return box
	}
	return c.caches.Sandbox
}

// useImage chooses the image of the repository's commands, and returns their sandbox.
func (c *Cache) useImage(
	ctx context.Context, found *environment.Environment, how environment.Config,
) (*sandbox.Sandbox, error) {
	c.box.Store(nil)
	if c.caches.Sandbox == nil {
		return nil, nil
	}
	box, err := found.Sandbox(ctx, c.caches.Sandbox, how)
	if err == nil {
		c.box.Store(box)
	}
	return box, err
}
