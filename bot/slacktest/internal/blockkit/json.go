package blockkit

import "encoding/json"

type Object = map[string]any

// MustJSON encodes a value of this program, which always has a JSON form.
func MustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("slacktest: " + err.Error())
	}
	return raw
}
