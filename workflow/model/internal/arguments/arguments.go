package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of the arguments of one call, and of the problems that are reported at once.
const (
	maxArguments = 1 << 20
	maxDepth     = 64
	maxProblems  = 5
)

// A Checker checks the arguments that a model wrote against one tool's schema.
type Checker struct {
	tool     string
	checked  *jsonschema.Schema
	resolved *jsonschema.Resolved
	Schema   json.RawMessage // as models are sent it
	right    string          // a line with an example of a right call
}

// NewChecker returns a Checker for the calls of a tool. It fails if schema is not of type object or not
// valid.
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
	raw, err := json.Marshal(requestSchema(schema.CloneSchemas()))
	if err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	return &Checker{tool: tool, checked: schema, resolved: resolved, Schema: raw, right: rightCall(schema)}, nil
}

// requestSchema returns the schema that is sent with every request. It is therefore short: a part with a comment is
// replaced by the comment, and objects do not say that they have no other fields, which models assume anyway.
// Arguments are checked against the full schema, and a wrong call is answered with an example of all fields.
func requestSchema(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	if s.Comment != "" {
		return &jsonschema.Schema{Type: s.Type, Description: s.Comment}
	}
	s.AdditionalProperties = nil
	for name, p := range s.Properties {
		s.Properties[name] = requestSchema(p)
	}
	s.Items = requestSchema(s.Items)
	return s
}

// Decode decodes args into in. It returns what is wrong with them, in words for the model, or an empty
// string.
func (c *Checker) Decode(args json.RawMessage, in any) string {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if wrong := badForm(args); wrong != "" {
		return c.wrongCall(wrong)
	}
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return c.wrongCall(err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return c.wrongCall("the arguments have to be one JSON object, got " + describeValue(value))
	}
	leaveOutNulls(object, c.checked)
	if err := c.resolved.Validate(object); err != nil {
		return c.wrongCall(explainProblems(object, c.checked, err)...)
	}
	if err := json.Unmarshal(args, in); err != nil {
		return c.wrongCall(describeMisfit(err))
	}
	return ""
}

func (c *Checker) wrongCall(problems ...string) string {
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems:maxProblems], "and more")
	}
	return fmt.Sprintf("%s was not run: its arguments are wrong.\n- %s\n%s", c.tool, strings.Join(problems, "\n- "), c.right)
}

// badForm returns what makes arguments unreadable, whatever the schema is, or an empty string.
func badForm(args json.RawMessage) string {
	if len(args) > maxArguments {
		return fmt.Sprintf("the arguments are %d bytes, at most %d are taken: do it in smaller parts", len(args), maxArguments)
	}
	var written string
	if json.Unmarshal(args, &written) == nil { // what is not JSON travels as a JSON string
		if json.Valid([]byte(written)) {
			return "the arguments came as a JSON string: send the object itself, not quoted"
		}
		args = []byte(written)
	}
	var anything json.RawMessage
	if err := json.Unmarshal(args, &anything); err != nil {
		return "the arguments are not valid JSON: " + describeSyntaxError(err, args)
	}
	return badNesting(args)
}

func describeSyntaxError(err error, args []byte) string {
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return err.Error()
	}
	end := int(min(at.Offset, int64(len(args))))
	return fmt.Sprintf("%v, at byte %d, after %s", at, end, quoteShort(string(args[max(0, end-40):end])))
}

// badNesting finds arguments that are nested too deep or repeat a field. It reads them token by token,
// because decoding has no limit of depth and takes the last of two fields with one name.
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
					return "the field " + quoteShort(t) + " is there twice"
				}
				names[len(names)-1][t], key = true, false
				continue
			}
		}
		key = len(names) > 0 && names[len(names)-1] != nil
	}
}

// leaveOutNulls deletes the nulls that models send for fields that they mean to leave out.
func leaveOutNulls(value any, s *jsonschema.Schema) {
	switch v := value.(type) {
	case map[string]any:
		for name, p := range s.Properties {
			if field, ok := v[name]; ok && field == nil && !slices.Contains(s.Required, name) {
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

// describeMisfit describes a value that fits the schema but not the Go type: a 3.0 for an integer, or a
// number out of range.
func describeMisfit(err error) string {
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) {
		return fmt.Sprintf("%s cannot be %s", field.Field, field.Value)
	}
	return err.Error()
}
