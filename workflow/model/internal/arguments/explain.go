package arguments

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// explainProblems describes what a validator found, field by field. The validator alone decides whether
// anything is wrong; what the walk does not find is described in the validator's words.
func explainProblems(object map[string]any, s *jsonschema.Schema, found error) []string {
	var e explanation
	e.checkValue("", object, s)
	if len(e.problems) > 0 {
		return e.problems
	}
	text := found.Error()
	if i := strings.LastIndex(text, ": "); i > 300 {
		text = text[i+2:]
	}
	return []string{plaintext.SafeLine(text, 300)}
}

// An explanation collects the problems that a walk over the arguments and their schema finds.
type explanation struct{ problems []string }

func (e *explanation) addProblem(at, format string, args ...any) {
	if at == "" {
		at = "the arguments"
	}
	e.problems = append(e.problems, at+" "+fmt.Sprintf(format, args...))
}

func (e *explanation) checkValue(at string, value any, s *jsonschema.Schema) {
	if s.Type != "" && !isType(value, s.Type) {
		e.addProblem(at, "has to be %s, got %s", withArticle(s.Type), describeValue(value))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(value) }) {
		e.addProblem(at, "has to be one of %s, got %s", joinValues(s.Enum), describeValue(value))
		return
	}
	switch v := value.(type) {
	case map[string]any:
		e.checkObject(at, v, s)
	case []any:
		e.checkArray(at, v, s)
	case string:
		e.checkText(at, v, s)
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			e.addProblem(at, "has to be at least %v, got %v", *s.Minimum, v)
		}
		if s.Maximum != nil && v > *s.Maximum {
			e.addProblem(at, "has to be at most %v, got %v", *s.Maximum, v)
		}
	}
}

func (e *explanation) checkObject(at string, v map[string]any, s *jsonschema.Schema) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			e.addProblem(joinPath(at, name), "is missing: it has to be %s", withArticle(typeOf(s.Properties[name])))
		}
	}
	for _, name := range fieldsOf(s) {
		if field, ok := v[name]; ok {
			e.checkValue(joinPath(at, name), field, s.Properties[name])
		}
	}
	if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
		return
	}
	unknown := []string{}
	for name := range v {
		if _, ok := s.Properties[name]; !ok {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		known := strings.Join(fieldsOf(s), ", ")
		if known == "" {
			known = "none"
		}
		e.addProblem(quoteShort(joinPath(at, name)), "is not known; the fields are: %s", known)
	}
}

func (e *explanation) checkArray(at string, v []any, s *jsonschema.Schema) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		e.addProblem(at, "needs at least %d, got %d", *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		e.addProblem(at, "takes at most %d, got %d", *s.MaxItems, len(v))
	}
	for i := 0; s.Items != nil && i < len(v) && len(e.problems) <= maxProblems; i++ {
		e.checkValue(fmt.Sprintf("%s[%d]", at, i), v[i], s.Items)
	}
}

func (e *explanation) checkText(at, v string, s *jsonschema.Schema) {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength && n == 0:
		e.addProblem(at, "must not be empty")
	case s.MinLength != nil && n < *s.MinLength:
		e.addProblem(at, "needs at least %d characters, got %d", *s.MinLength, n)
	case s.MaxLength != nil && n > *s.MaxLength:
		e.addProblem(at, "takes at most %d characters, got %d", *s.MaxLength, n)
	case s.Pattern != "":
		if ok, err := regexp.MatchString(s.Pattern, v); err == nil && !ok {
			e.addProblem(at, "has to match %s, got %s", s.Pattern, describeValue(v))
		}
	}
}

func isType(value any, want string) bool {
	switch v := value.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	}
	return true
}

func typeOf(s *jsonschema.Schema) string {
	switch {
	case s == nil || s.Type == "" && len(s.Types) == 0:
		return "value"
	case s.Type != "":
		return s.Type
	}
	return strings.Join(s.Types, " or ")
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// describeValue returns a value as the model wrote it, with its type, shortened.
func describeValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quoteShort(v)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	text, _ := json.Marshal(value)
	kind := "the object "
	if _, ok := value.([]any); ok {
		kind = "the array "
	}
	return kind + plaintext.CutLine(string(text), 60)
}

func quoteShort(s string) string { return strconv.Quote(plaintext.CutLine(s, 60)) }

func joinValues(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		text, _ := json.Marshal(v)
		words[i] = string(text)
	}
	return strings.Join(words, ", ")
}

func joinPath(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// fieldsOf returns the names of an object's fields in the order of the Go struct, and then those that were
// added to the schema.
func fieldsOf(s *jsonschema.Schema) []string {
	var names, added []string
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	return append(names, added...)
}

// rightCall returns an example of a call, and says which fields are optional.
func rightCall(s *jsonschema.Schema) string {
	text := "A right call looks like this: " + exampleOf(s)
	var optional []string
	for _, name := range fieldsOf(s) {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	if len(optional) > 0 {
		text += " (optional: " + strings.Join(optional, ", ") + ")"
	}
	return text
}

func exampleOf(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return `"…"`
	case len(s.Enum) > 0:
		return joinValues(s.Enum[:1])
	case len(s.Examples) > 0:
		return joinValues(s.Examples[:1])
	}
	switch s.Type {
	case "object":
		var parts []string
		for _, name := range fieldsOf(s) {
			parts = append(parts, strconv.Quote(name)+": "+exampleOf(s.Properties[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case "array":
		return "[" + exampleOf(s.Items) + "]"
	case "integer", "number":
		if s.Minimum != nil && *s.Minimum > 1 {
			return strconv.FormatFloat(*s.Minimum, 'g', -1, 64)
		}
		return "1"
	case "boolean":
		return "true"
	}
	return `"…"`
}
