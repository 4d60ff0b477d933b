package endpoint

import (
	"bytes"
	"encoding/json"
)

// maxCallExtra is the limit of the data to send back with one call, in bytes; larger data is dropped.
const maxCallExtra = 64 << 10

// takeCallExtras reads the extra_content of calls in a chunk, which go-openai drops. Gemini signs its
// thoughts there, and refuses a conversation whose calls come back without the signature
// (https://ai.google.dev/gemini-api/docs/thought-signatures).
func (x *exchange) takeCallExtras(chunk []byte) {
	var shape struct {
		Choices []struct {
			Delta struct {
				ToolCalls []struct {
					Index int             `json:"index"`
					ID    string          `json:"id"`
					Extra json.RawMessage `json:"extra_content"`
				} `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal(chunk, &shape) != nil {
		return
	}
	for _, choice := range shape.Choices {
		for _, call := range choice.Delta.ToolCalls {
			if present(call.Extra) && call.Extra[0] == '{' && len(call.Extra) <= maxCallExtra {
				x.answer.AddExtra(call.Index, call.ID, call.Extra)
			}
		}
	}
}

// addCallExtras puts extra_content back into the calls of a request that go-openai encoded. Quotes within
// texts are escaped there, so only a call itself begins with these bytes.
func addCallExtras(body []byte, extras map[string]json.RawMessage) []byte {
	for id, extra := range extras {
		quoted, err := json.Marshal(id)
		if err != nil || !json.Valid(extra) {
			continue
		}
		begin := append([]byte(`{"id":`), quoted...)
		begin = append(begin, `,"type":"function"`...)
		with := append([]byte(`{"extra_content":`), extra...)
		with = append(append(with, ','), begin[1:]...)
		body = bytes.Replace(body, begin, with, 1)
	}
	return body
}
