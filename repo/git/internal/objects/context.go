package objects

import (
	"context"
	"io"
)

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// NewContextReader returns a reader that reads from r until ctx ends, and then returns the context's
// error.
func NewContextReader(ctx context.Context, r io.Reader) *contextReader { return &contextReader{ctx, r} }

func (c *contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
