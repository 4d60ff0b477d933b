package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// WriteJSON prints a value as JSON. The keys are those of the json tags; a field without one has its name in
// snake case. A nil list is an empty one. An indent of "" prints one line.
func WriteJSON(w io.Writer, value any, indent string) error {
	text, err := encodeValue(reflect.ValueOf(value))
	if err != nil {
		return err
	}
	if indent != "" {
		var b bytes.Buffer
		if err := json.Indent(&b, text, "", indent); err != nil {
			return err
		}
		text = b.Bytes()
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

func encodeValue(v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return []byte("null"), nil
	}
	if t := v.Type(); t.Implements(marshaler) || t.Implements(textMarshaler) {
		return encodePlain(v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return encodeValue(v.Elem())
	case reflect.Struct:
		var members []string
		err := encodeFields(v, &members)
		return []byte("{" + strings.Join(members, ",") + "}"), err
	case reflect.Map:
		return encodeMap(v)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return encodePlain(v)
		}
		var items []string
		for i := range v.Len() {
			item, err := encodeValue(v.Index(i))
			if err != nil {
				return nil, err
			}
			items = append(items, string(item))
		}
		return []byte("[" + strings.Join(items, ",") + "]"), nil
	}
	return encodePlain(v)
}

// encodePlain encodes a value that has no fields of its own.
func encodePlain(v reflect.Value) ([]byte, error) {
	var b bytes.Buffer
	plain := json.NewEncoder(&b)
	plain.SetEscapeHTML(false)
	err := plain.Encode(v.Interface())
	return bytes.TrimSpace(b.Bytes()), err
}

// encodeFields appends the members of an object for the fields of a struct and of its embedded structs.
func encodeFields(v reflect.Value, members *[]string) error {
	for field, value := range v.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && key == "" && field.Type.Kind() == reflect.Struct:
			if err := encodeFields(value, members); err != nil {
				return err
			}
			continue
		case !field.IsExported() || key == "-":
			continue
		case key == "":
			key = snakeCase(field.Name)
		}
		if strings.Contains(options, "omit") && isEmpty(value) {
			continue
		}
		text, err := encodeValue(value)
		if err != nil {
			return err
		}
		*members = append(*members, fmt.Sprintf("%q:%s", key, text))
	}
	return nil
}

func isEmpty(v reflect.Value) bool {
	if k := v.Kind(); k == reflect.Slice || k == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

// encodeMap encodes a map; its keys are data, and stay as they are.
func encodeMap(v reflect.Value) ([]byte, error) {
	values := map[string]string{}
	for key, value := range v.Seq2() {
		text, err := encodeValue(value)
		if err != nil {
			return nil, err
		}
		name, err := json.Marshal(key.String())
		if err != nil {
			return nil, err
		}
		values[string(name)] = string(text)
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		members = append(members, name+":"+values[name])
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// snakeCase returns the name of a Go field as a key: SpentUSD is spent_usd.
func snakeCase(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 &&
			(!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
