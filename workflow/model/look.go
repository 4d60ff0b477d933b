package model

import (
	"context"
	"errors"
	"time"
)

// List asks the endpoint that has no model of its own once for the names of its models, sorted.
// It ends with an *Error, with ErrNoList, or with the context's cause.
func (c *Client) List(ctx context.Context) (names []string, took time.Duration, err error) {
	return c.endpoint("").List(ctx, c.http)
}

// Try asks a model for one call of a tool, in the fewest words there are, and tells how
// long it took. A model that answers without calling it is ErrNoTools.
func (c *Client) Try(ctx context.Context, name string) (took time.Duration, err error) {
	type nothing struct{}
	tool := NewTool("ready", "Call this when you are asked to.", func(context.Context, nothing) (Result, error) { return Result{}, nil })
	began := time.Now()
	answer, err := c.askModel(ctx, Request{Model: name, Tools: []Tool{tool}, Messages: []Message{{Role: User, Text: "Call the tool ready, and say nothing."}}})
	took = time.Since(began)
	if err == nil && len(answer.Message.Calls) == 0 {
		err = ErrNoTools
	}
	return took, err
}

// ErrNoTools means that a model answered without the call that it was asked for.
var ErrNoTools = errors.New("the model called no tool when it was asked to")
