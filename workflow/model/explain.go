package model

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

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// problems words what a validator found, field by field. The validator alone decides
// whether there is anything wrong: what the walk does not know is said in its words.
func problems(object map[string]any, s *jsonschema.Schema, found error) []string {
	var e explanation
	e.walk("", object, s)
	if len(e.problems) > 0 {
		return e.problems
	}
	text := found.Error()
	if i := strings.LastIndex(text, ": "); i > 300 {
		text = text[i+2:]
	}
	return []string{plaintext.SafeLine(text, 300)}
}

type explanation struct{ problems []string }

func (e *explanation) say(at, format string, args ...any) {
	if at == "" {
		at = "the arguments"
	}
	e.problems = append(e.problems, at+" "+fmt.Sprintf(format, args...))
}

func (e *explanation) walk(at string, value any, s *jsonschema.Schema) {
	if s.Type != "" && !isType(value, s.Type) {
		e.say(at, "has to be %s, got %s", article(s.Type), got(value))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(value) }) {
		e.say(at, "has to be one of %s, got %s", list(s.Enum), got(value))
		return
	}
	switch v := value.(type) {
	case map[string]any:
		e.object(at, v, s)
	case []any:
		e.array(at, v, s)
	case string:
		e.text(at, v, s)
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			e.say(at, "has to be at least %v, got %v", *s.Minimum, v)
		}
		if s.Maximum != nil && v > *s.Maximum {
			e.say(at, "has to be at most %v, got %v", *s.Maximum, v)
		}
	}
}

func (e *explanation) object(at string, v map[string]any, s *jsonschema.Schema) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			e.say(join(at, name), "is missing: it has to be %s", article(typeOf(s.Properties[name])))
		}
	}
	for _, name := range fieldsOf(s) {
		if field, ok := v[name]; ok {
			e.walk(join(at, name), field, s.Properties[name])
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
		e.say(quote(join(at, name)), "is not known; the fields are: %s", known)
	}
}

func (e *explanation) array(at string, v []any, s *jsonschema.Schema) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		e.say(at, "needs at least %d, got %d", *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		e.say(at, "takes at most %d, got %d", *s.MaxItems, len(v))
	}
	for i := 0; s.Items != nil && i < len(v) && len(e.problems) <= maxProblems; i++ {
		e.walk(fmt.Sprintf("%s[%d]", at, i), v[i], s.Items)
	}
}

func (e *explanation) text(at, v string, s *jsonschema.Schema) {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength && n == 0:
		e.say(at, "must not be empty")
	case s.MinLength != nil && n < *s.MinLength:
		e.say(at, "needs at least %d characters, got %d", *s.MinLength, n)
	case s.MaxLength != nil && n > *s.MaxLength:
		e.say(at, "takes at most %d characters, got %d", *s.MaxLength, n)
	case s.Pattern != "":
		if ok, err := regexp.MatchString(s.Pattern, v); err == nil && !ok {
			e.say(at, "has to match %s, got %s", s.Pattern, got(v))
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

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// got is a value as the model wrote it, with its type, cut.
func got(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + quote(v)
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

func quote(s string) string { return strconv.Quote(plaintext.CutLine(s, 60)) }

func list(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		text, _ := json.Marshal(v)
		words[i] = string(text)
	}
	return strings.Join(words, ", ")
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// fieldsOf names an object's fields in the order of the Go struct, then those that were
// added to it.
func fieldsOf(s *jsonschema.Schema) []string {
	var names, added []string
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	for name := range s.Properties {
		if !contains(names, name) {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	return append(names, added...)
}

// rightCall shows how a call looks, and what of it may be left out.
func rightCall(s *jsonschema.Schema) string {
	text := "A right call looks like this: " + example(s)
	var optional []string
	for _, name := range fieldsOf(s) {
		if !contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	if len(optional) > 0 {
		text += " (optional: " + strings.Join(optional, ", ") + ")"
	}
	return text
}

func example(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return `"…"`
	case len(s.Enum) > 0:
		return list(s.Enum[:1])
	case len(s.Examples) > 0:
		return list(s.Examples[:1])
	}
	switch s.Type {
	case "object":
		var parts []string
		for _, name := range fieldsOf(s) {
			parts = append(parts, strconv.Quote(name)+": "+example(s.Properties[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case "array":
		return "[" + example(s.Items) + "]"
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
