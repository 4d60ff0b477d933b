// Package schema makes the JSON schema of the configuration file, for editors. settings.yaml describes every
// setting once: the schema, the example and the tables of docs/configuration are made of it.
package schema

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Make returns the schema: the keys with the types of their values, descriptions, words that are allowed, and
// defaults. config.Load checks more.
func Make() ([]byte, error) {
	keys, err := tree()
	if err != nil {
		return nil, err
	}
	s := sectionSchema(keys)
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "bobbin.yaml"
	return json.MarshalIndent(s, "", "  ")
}

type object = map[string]any

// shortReader is implemented by types that also have a short form; see package strictyaml.
var shortReader = reflect.TypeFor[interface{ ReadShort(any) bool }]()

// sectionSchema returns the schema of a mapping with these keys.
func sectionSchema(keys []*node) object {
	properties := object{}
	var required []string
	for _, n := range keys {
		properties[n.name] = n.schema()
		if n.Required {
			required = append(required, n.name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// schema returns the schema of the value of a key.
func (n *node) schema() object {
	s := n.valueSchema(n.kind)
	s["description"] = n.fullText()
	if n.Default != nil {
		s["default"] = n.Default
	}
	return s
}

// fullText returns the description of a key for an editor.
func (n *node) fullText() string {
	text := n.describe()
	if n.Unit != "" {
		text += " In " + n.Unit + "."
	}
	if n.Default == nil && n.Otherwise != "" {
		text += " Default: " + n.Otherwise + "."
	}
	return strings.ReplaceAll(text, "`", "")
}

func (n *node) valueSchema(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return n.valueSchema(t.Elem())
	}
	s := n.plainSchema(t)
	if !reflect.PointerTo(t).Implements(shortReader) {
		return s
	}
	short := object{"type": []string{"string", "number", "boolean"}}
	if len(n.Short) > 0 {
		short = object{"enum": withBooleans(words(n.Short))}
	}
	return object{"anyOf": []object{s, short}}
}

// withBooleans adds what older versions of YAML make of the words on and off.
func withBooleans(names []string) (values []any) {
	for _, name := range names {
		values = append(values, name)
		switch name {
		case "on":
			values = append(values, true)
		case "off":
			values = append(values, false)
		}
	}
	return values
}

func (n *node) plainSchema(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Struct:
		return sectionSchema(n.keys)
	case reflect.Map:
		return object{"type": "object", "additionalProperties": n.itemSchema(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": n.itemSchema(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	if len(n.Values) > 0 {
		return object{"enum": words(n.Values)}
	}
	// YAML may read a word such as off, or 1, as another type
	return object{"type": []string{"string", "number", "boolean"}}
}

// itemSchema returns the schema of an item of a list or a map.
func (n *node) itemSchema(t reflect.Type) object {
	return (&node{keys: n.keys}).valueSchema(t)
}
