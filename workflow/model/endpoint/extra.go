package endpoint

import (
	"bytes"
	"encoding/json"
)

// maxCallExtra is how many bytes an endpoint may want back with one call.
const maxCallExtra = 64 << 10

// takeCallExtras takes extra_content of calls out of a chunk, which go-openai drops. Gemini signs
// its thoughts there, and refuses a conversation whose calls come back without the signature
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

// addCallExtras puts them back into a request as go-openai wrote it. Quotes within texts are
// escaped there, so that only a call itself begins like this.
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
