package model

import (
	"context"
	"errors"
	"time"
)

// List asks the default endpoint once for the names of its models, sorted, and returns how long that took.
// Its error is an *endpoint.Error, endpoint.ErrNoList, or the context's cause.
func (c *Client) List(ctx context.Context) (names []string, took time.Duration, err error) {
	return c.endpoint("").List(ctx, c.http)
}

// Try asks a model for one call of a tool, in a minimal request, and returns how long that took. It returns
// ErrNoTools if the model answers without the call.
func (c *Client) Try(ctx context.Context, name string) (took time.Duration, err error) {
	type nothing struct{}
	tool := NewTool("ready", "Call this when you are asked to.",
		func(context.Context, nothing) (Result, error) { return Result{}, nil })
	began := time.Now()
	answer, err := c.askModel(ctx, Request{
		Model:    name,
		Tools:    []Tool{tool},
		Messages: []Message{{Role: User, Text: "Call the tool ready, and say nothing."}},
	})
	took = time.Since(began)
	if err == nil && len(answer.Message.Calls) == 0 {
		err = ErrNoTools
	}
	return took, err
}

// ErrNoTools means that a model answered without the call that it was asked for.
var ErrNoTools = errors.New("the model called no tool when it was asked to")
