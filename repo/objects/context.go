package objects

import (
	"context"
	"io"
)

// ContextReader reads until its context ends.
type ContextReader struct {
	ctx context.Context
	r   io.Reader
}

// NewContextReader reads from r until ctx ends.
func NewContextReader(ctx context.Context, r io.Reader) *ContextReader { return &ContextReader{ctx, r} }

func (c *ContextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
