package blockkit

import "encoding/json"

type Object = map[string]any

// MustJSON is for values of ours, which always have a JSON form.
func MustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("slacktest: " + err.Error())
	}
	return raw
}
