package model

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/workflow/model/internal/arguments"
)

// A Tool is a function that a model can call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of the arguments; the same bytes at every start
	// Call runs the tool. If the model made a mistake, the Result is Wrong. An error means that the program
	// itself failed.
	Call func(ctx context.Context, args json.RawMessage) (Result, error)
	// EndsWork marks a tool that claims an end of work. Its call is refused if an earlier call in the same
	// answer was refused or failed, because the model has not seen that result yet.
	EndsWork bool
	// KeepVerbatim marks a tool whose calls and results stay word for word when a conversation is summarised:
	// what was reported, planned, delegated, or loaded as an instruction.
	KeepVerbatim bool
	// ChangesFiles marks a tool that changes the files of the work. A call that changes them otherwise than
	// those before it is progress: the same call of another tool may be needed again after it.
	ChangesFiles bool
	// Untimed marks a tool in whose calls the program or other agents work, with limits of their own. They do
	// not count as the agent's time.
	Untimed bool
}

// A Result is what a tool call returns to the model, and what is stored because of the call.
type Result struct {
	Text  string
	Wrong bool // the model's mistake; Text says how to do it right
	Ends  bool // the agent's loop ends after this call
	// Malformed is set, with Wrong, if nothing was run, because the call does not fit the tool's schema or
	// there is no such tool. A tool that refuses a call leaves it unset.
	Malformed bool
	Failed    bool // what was run did not succeed: a command, or a check
	// Writes is what the call asks to store, in order, together with the call. The model does not see it. If
	// a call was overtaken, Writes holds what was done before, beside the error.
	Writes []Write
}

// A Write is one thing that a tool call asks to store. The method marks the types that a transcript knows how
// to store, so that a call cannot ask for another one.
type Write interface{ StoredWithCall() }

// After returns how long a call took, as a suffix for the first line of its result; empty for less than a
// second.
func After(took time.Duration) string {
	if took < time.Second {
		return ""
	}
	return fmt.Sprintf(" after %s", took.Round(time.Second))
}

// lasted matches the suffix that After returns.
var lasted = regexp.MustCompile(` after (?:\d+[hms])+$`)

// WithoutDuration returns a result without the time that its call took, so that two results that differ only
// in that are equal.
func WithoutDuration(result string) string {
	first, _, _ := strings.Cut(result, "\n")
	return lasted.ReplaceAllString(first, "") + result[len(first):]
}

// Numbered returns the result of a command or a check with its number in the session, by which reports name
// it: "run 7: exit code 0". The number 0 changes nothing.
func Numbered(n int, result string) string {
	if n == 0 {
		return result
	}
	return fmt.Sprintf("run %d: %s", n, result)
}

// numbered matches the prefix that Numbered adds.
var numbered = regexp.MustCompile(`^run \d+: `)

// WithoutNumber returns a result without the number that Numbered has added.
func WithoutNumber(result string) string { return numbered.ReplaceAllString(result, "") }

// NewTool returns a tool for a function whose argument is a struct. The schema is inferred from the struct:
// JSON names, `omitempty` for optional fields, and descriptions from the `jsonschema` tags. adjust adds what
// tags cannot say (enums, bounds). Unknown fields are refused. A null for an optional field counts as left
// out.
//
// The function runs only with arguments that fit the schema. NewTool panics if T cannot be a tool's argument,
// which is a mistake in the program's source.
func NewTool[T any](name, description string, call func(
	ctx context.Context, in T,
) (Result, error), adjust ...func(*jsonschema.Schema),
) Tool {
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
	return Tool{
		Name:        name,
		Description: description,
		Schema:      a.Schema,
		Call: func(ctx context.Context, args json.RawMessage) (Result, error) {
			var in T
			if wrong := a.Decode(args, &in); wrong != "" {
				return Result{Text: wrong, Wrong: true, Malformed: true}, nil
			}
			return call(ctx, in)
		},
	}
}

// withoutNull replaces "null or array" by "array", and so on: models do well with the simpler schema, and
// several endpoints refuse lists of types.
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
