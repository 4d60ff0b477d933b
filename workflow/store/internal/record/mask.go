package record

import (
	"bytes"
	"encoding/json"
)

// MaskJSON returns the JSON with mask applied to all its strings, or the same bytes if that changes none of
// them. What is no JSON is masked as one text.
func MaskJSON(raw json.RawMessage, mask func(string) string) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return json.RawMessage(mask(string(raw)))
	}
	v, changed := maskValue(v, mask)
	if !changed {
		return raw
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return json.RawMessage(mask(string(raw)))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// maskValue returns the decoded value with mask applied to its strings and to the names of its fields, and
// whether that changed one of them.
func maskValue(v any, mask func(string) string) (masked any, changed bool) {
	switch v := v.(type) {
	case string:
		text := mask(v)
		return text, text != v
	case []any:
		for i, x := range v {
			x, other := maskValue(x, mask)
			v[i], changed = x, changed || other
		}
		return v, changed
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, x := range v {
			x, other := maskValue(x, mask)
			text := mask(name)
			all[text], changed = x, changed || other || text != name
		}
		return all, changed
	}
	return v, false // a number, true, false or null
}
