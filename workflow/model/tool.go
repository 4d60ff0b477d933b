package model

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/workflow/model/arguments"
)

// A Tool is something that a model can ask for.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of the arguments; the same bytes at every start
	// Call runs the tool. A mistake of the model is a Result that is Wrong; an error
	// means that our own machine failed.
	Call func(ctx context.Context, args json.RawMessage) (Result, error)
	// Last tells of a tool that claims an end of work: a call of it is put off where one before
	// it in the same answer was refused or failed, for the model has not seen that yet.
	Last bool
	// Kept tells of a tool whose calls stay word for word, with their results, when a
	// conversation is summed up: what was reported, planned, delegated, or loaded as an instruction.
	Kept bool
}

// A Result is what the model is told, and what is written because of the call.
type Result struct {
	Text  string
	Wrong bool // the model's mistake; Text says how to do it right
	Ends  bool // the agent's loop ends after this call
	// Malformed, with Wrong: there was nothing to run, for the call does not fit the
	// tool's schema or there is no such tool. A tool that refuses leaves it unset.
	Malformed bool
	Failed    bool // what was run did not succeed: a command, or a check
	// Writes is what the call writes, in order, for whoever records the call: the model is
	// not told. What was done before a call was overtaken stands here beside its error.
	Writes []any
}

// After is how long a call took, as its result says it in its first line; empty for less than
// a second.
func After(took time.Duration) string {
	if took < time.Second {
		return ""
	}
	return fmt.Sprintf(" after %s", took.Round(time.Second))
}

// lasted is what After writes.
var lasted = regexp.MustCompile(` after (?:\d+[hms])+$`)

// WithoutDuration is a result without the time that its call took: what is the same otherwise
// is the same result.
func WithoutDuration(result string) string {
	first, _, _ := strings.Cut(result, "\n")
	return lasted.ReplaceAllString(first, "") + result[len(first):]
}

// NewTool makes a tool of a function whose argument is a struct. The schema is inferred
// from it: JSON names, `omitempty` for what may be left out, and the description from the
// `jsonschema` tag. What tags cannot say (enums, bounds) is added by adjust. Unknown
// fields are refused. A null for a field that may be left out counts as left out.
//
// The function runs only with arguments that fit the schema. A type that cannot be a
// tool's argument is a mistake in our source, and panics at once.
func NewTool[T any](name, description string, call func(ctx context.Context, in T) (Result, error), adjust ...func(*jsonschema.Schema)) Tool {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	withoutNull(schema)
	for _, f := range adjust {
		f(schema)
	}
	a, err := arguments.NewChecker(name, schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{Name: name, Description: description, Schema: a.Schema, Call: func(ctx context.Context, args json.RawMessage) (Result, error) {
		var in T
		if wrong := a.Decode(args, &in); wrong != "" {
			return Result{Text: wrong, Wrong: true, Malformed: true}, nil
		}
		return call(ctx, in)
	}}
}

// withoutNull makes "null or array" just "array": models do well with the simpler schema,
// and several endpoints refuse lists of types.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
}
