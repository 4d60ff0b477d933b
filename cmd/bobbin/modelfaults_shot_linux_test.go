package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A shot is one request that is spoilt.
type shot struct {
	http.ResponseWriter
	r     *http.Request
	asked mind
	body  []byte
	name  string // what the model would call
	args  map[string]any
	hit   int
	heal  bool
}

// canary is what nobody may read: only calls that must not be run say it.
const canary = "CANARY"

// A spoken call is a call as it goes over the wire.
type spokenCall struct{ id, name, args string }

// right is what the model would have called, under an id that tells that it was discarded.
func (s *shot) right(prefix string) spokenCall {
	b, _ := json.Marshal(s.args)
	return spokenCall{s.id(prefix, 1), s.name, string(b)}
}

// sing is a call that people would see.
func (s *shot) sing(prefix, args string) spokenCall { return spokenCall{s.id(prefix, 2), "say", args} }

func (s *shot) id(prefix string, n int) string {
	return fmt.Sprintf("%s-%d-%d-%d-%s", prefix, n, s.hit, len(s.asked.Messages), s.name)
}

const song = `{"message":"` + canary + `"}`

func (s *shot) begin() { s.Header().Set("Content-Type", "text/event-stream") }

func (s *shot) chunk(v any) {
	raw, _ := json.Marshal(v)
	fmt.Fprintf(s, "data: %s\n\n", raw)
	s.flush()
}

func (s *shot) flush() { s.ResponseWriter.(http.Flusher).Flush() }

func (s *shot) delta(delta map[string]any, finish any) {
	s.chunk(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (s *shot) call(index int, c spokenCall) {
	s.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.args},
	}}}, nil)
}

// usageLine are the figures of every whole answer.
const usageLine = `data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100}}` + "\n\n"

// unit is what a whole answer costs.
const unit = 0.002

// end finishes an answer for that reason.
func (s *shot) end(reason string) {
	if s.heal {
		reason = "tool_calls"
	}
	s.delta(map[string]any{}, reason)
	io.WriteString(s, usageLine+"data: [DONE]\n\n")
}

// answer is a stream of these calls.
func (s *shot) answer(reason string, calls ...spokenCall) {
	s.begin()
	for i, c := range calls {
		s.call(i, c)
	}
	s.end(reason)
}

// breakOff ends the connection in the middle; where the cut is healed, as if it were the end.
func (s *shot) breakOff() {
	if s.heal {
		s.end("tool_calls")
		return
	}
	s.flush()
	panic(http.ErrAbortHandler)
}

func (s *shot) refuse(status int, body string, header ...string) {
	for i := 0; i+1 < len(header); i += 2 {
		s.Header().Set(header[i], header[i+1])
	}
	s.WriteHeader(status)
	io.WriteString(s, body)
}

func refusal(status int, body string, header ...string) func(*shot) {
	return func(s *shot) { s.refuse(status, body, header...) }
}
