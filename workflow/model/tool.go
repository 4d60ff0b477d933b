package model

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Tool is something that a model can ask for.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of the arguments; the same bytes at every start
	// Call runs the tool. A mistake of the model is a Result that is Wrong; an error
	// means that our own machine failed.
	Call func(ctx context.Context, args json.RawMessage) (Result, error)
}

// A Result is what the model is told.
type Result struct {
	Text  string
	Wrong bool // the model's mistake; Text says how to do it right
	Ends  bool // the agent's loop ends after this call
}

// NewTool makes a tool of a function.
func NewTool[T any](name, description string, call func(ctx context.Context, in T) (Result, error), adjust ...func(*jsonschema.Schema)) Tool {
	return Tool{Name: name, Description: description, Schema: json.RawMessage(`{"type":"object"}`), Call: func(ctx context.Context, args json.RawMessage) (Result, error) {
		var in T
		if err := json.Unmarshal(args, &in); err != nil {
			return Result{Text: err.Error(), Wrong: true}, nil
		}
		return call(ctx, in)
	}}
}
