// Package schema makes the JSON schema of the configuration file, for editors.
package schema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

// Make returns the schema: the keys and the types of their values. config.Load checks more.
func Make() ([]byte, error) {
	s := schemaOf(reflect.TypeFor[config.Config]())
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "bobbin.yaml"
	return json.MarshalIndent(s, "", "  ")
}

type object = map[string]any

// shortReader is implemented by types that also have a short form; see package strictyaml.
var shortReader = reflect.TypeFor[interface{ ReadShort(any) bool }]()

func schemaOf(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return schemaOf(t.Elem())
	}
	s := plainSchema(t)
	if reflect.PointerTo(t).Implements(shortReader) {
		return object{"anyOf": []object{s, {"type": []string{"string", "number", "boolean"}}}}
	}
	return s
}

func plainSchema(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Struct:
		properties := object{}
		addProperties(properties, t)
		return object{"type": "object", "properties": properties, "additionalProperties": false}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	// YAML may read a word such as off, or 1, as another type
	return object{"type": []string{"string", "number", "boolean"}}
}

// addProperties adds the keys of a struct and of its embedded structs.
func addProperties(properties object, t reflect.Type) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case field.Anonymous:
			addProperties(properties, field.Type)
		case field.IsExported() && name != "":
			properties[name] = schemaOf(field.Type)
		}
	}
}
