package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of what a model may write as the arguments of one call.
const (
	maxArguments = 1 << 20
	maxDepth     = 64
	maxProblems  = 5
)

// Checker checks what a model wrote against one tool's schema.
type Checker struct {
	tool     string
	checked  *jsonschema.Schema
	resolved *jsonschema.Resolved
	Schema   json.RawMessage
	right    string // how a right call looks, in words
}

func NewChecker(tool string, schema *jsonschema.Schema) (*Checker, error) {
	if schema.Type != "object" {
		return nil, fmt.Errorf("its arguments are of type %q and have to be an object", schema.Type)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return nil, fmt.Errorf("resolve schema: %w", err)
	}
	if schema.Properties == nil { // endpoints want to see it even when it is empty
		schema.Properties = map[string]*jsonschema.Schema{}
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	return &Checker{tool: tool, checked: schema, resolved: resolved, Schema: raw, right: rightCall(schema)}, nil
}

// Decode fills in, or says in words for the model what is wrong.
func (a *Checker) Decode(args json.RawMessage, in any) string {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if wrong := badForm(args); wrong != "" {
		return a.wrong(wrong)
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return a.wrong(err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return a.wrong("the arguments have to be one JSON object, got " + got(value))
	}
	leaveOutNulls(object, a.checked)
	if err := a.resolved.Validate(object); err != nil {
		return a.wrong(problems(object, a.checked, err)...)
	}
	if err := json.Unmarshal(args, in); err != nil {
		return a.wrong(misfit(err))
	}
	return ""
}

func (a *Checker) wrong(problems ...string) string {
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems:maxProblems], "and more")
	}
	return fmt.Sprintf("%s was not run: its arguments are wrong.\n- %s\n%s", a.tool, strings.Join(problems, "\n- "), a.right)
}

// badForm finds what makes arguments unreadable, whatever the schema is.
func badForm(args json.RawMessage) string {
	if len(args) > maxArguments {
		return fmt.Sprintf("the arguments are %d bytes, at most %d are taken: do it in smaller parts", len(args), maxArguments)
	}
	var written string
	if json.Unmarshal(args, &written) == nil { // see argsOf
		if json.Valid([]byte(written)) {
			return "the arguments came as a JSON string: send the object itself, not quoted"
		}
		args = []byte(written)
	}
	var anything json.RawMessage
	if err := json.Unmarshal(args, &anything); err != nil {
		return "the arguments are not valid JSON: " + syntax(err, args)
	}
	return badNesting(args)
}

func syntax(err error, args []byte) string {
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return err.Error()
	}
	end := int(min(at.Offset, int64(len(args))))
	return fmt.Sprintf("%v, at byte %d, after %s", at, end, quote(string(args[max(0, end-40):end])))
}

// badNesting walks over the tokens, since decoding would go as deep as it is told to and
// would take the last of two fields with one name.
func badNesting(args []byte) string {
	d := json.NewDecoder(bytes.NewReader(args))
	var names []map[string]bool // of the open objects; nil for an open array
	key := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		} else if err != nil {
			return "the arguments are not valid JSON: " + err.Error()
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				names, key = append(names, map[string]bool{}), true
			case '[':
				names, key = append(names, nil), false
			default:
				names = names[:len(names)-1]
				key = len(names) > 0 && names[len(names)-1] != nil
			}
			if len(names) > maxDepth {
				return fmt.Sprintf("the arguments are nested more than %d deep", maxDepth)
			}
			continue
		case string:
			if key {
				if names[len(names)-1][t] {
					return "the field " + quote(t) + " is there twice"
				}
				names[len(names)-1][t], key = true, false
				continue
			}
		}
		key = len(names) > 0 && names[len(names)-1] != nil
	}
}

// leaveOutNulls takes away the nulls that models send for fields they mean to leave out.
func leaveOutNulls(value any, s *jsonschema.Schema) {
	switch v := value.(type) {
	case map[string]any:
		for name, p := range s.Properties {
			if field, ok := v[name]; ok && field == nil && !contains(s.Required, name) {
				delete(v, name)
			} else if ok {
				leaveOutNulls(field, p)
			}
		}
	case []any:
		for i := 0; s.Items != nil && i < len(v); i++ {
			leaveOutNulls(v[i], s.Items)
		}
	}
}

// misfit words what fits the schema and still not the Go type: a 3.0 for an integer, a
// number out of range.
func misfit(err error) string {
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) {
		return fmt.Sprintf("%s cannot be %s", field.Field, field.Value)
	}
	return err.Error()
}
