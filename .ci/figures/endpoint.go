package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// An endpoint is a fake model server that speaks OpenAI's chat completions protocol, whole or streamed, and
// the streamed responses protocol. It answers at once unless an answer has a wait channel.
type endpoint struct {
	*httptest.Server

	mu    sync.Mutex
	play  func(modelRequest) answer
	asked []modelRequest
}

// modelRequest is one request that a measured program sent to the model.
type modelRequest struct {
	at     time.Time
	body   []byte
	system string
	tools  []string // names of the tools that the model may call
	said   []modelMessage
	stream bool
}

// modelMessage is one message or tool result of a conversation.
type modelMessage struct {
	role, text string
	calls      []string // names of the tools that the message called
}

// results returns the number of tool results in the conversation.
func (a modelRequest) results() (n int) {
	for _, s := range a.said {
		if s.role == "tool" {
			n++
		}
	}
	return n
}

// has reports whether any message of the conversation, tool results included, contains the text.
func (a modelRequest) has(text string) bool {
	for _, s := range a.said {
		if strings.Contains(s.text, text) {
			return true
		}
	}
	return false
}

// An answer is a tool call or a text.
type answer struct {
	tool string
	args any
	text string
	wait <-chan struct{} // the answer is sent when this channel is closed; nil: at once
}

// openEndpoint starts an endpoint whose answers come from play.
func openEndpoint(play func(modelRequest) answer) *endpoint {
	e := &endpoint{play: play}
	e.Server = httptest.NewServer(e)
	return e
}

// close stops the endpoint. It cuts the connections of requests that still wait.
func (e *endpoint) close() {
	e.CloseClientConnections()
	e.Close()
}

// requests returns the requests since the last call.
func (e *endpoint) requests() []modelRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.asked
	e.asked = nil
	return list
}

// ServeHTTP answers one request.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method != http.MethodPost {
		fmt.Fprint(w,
			`{"object":"list","data":[{"id":"played","object":"model","created":0,"owned_by":"figures"}]}`)
		return
	}
	a, err := readAsked(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.at = at
	e.mu.Lock()
	e.asked = append(e.asked, a)
	number := len(e.asked)
	e.mu.Unlock()
	does := e.play(a)
	if does.wait != nil {
		select {
		case <-does.wait:
		case <-r.Context().Done():
			return
		}
	}
	id := fmt.Sprintf("call_%d_%d", a.at.UnixNano(), number)
	if strings.HasSuffix(r.URL.Path, "/responses") {
		writeResponse(w, id, does)
		return
	}
	writeCompletion(w, a.stream, id, does)
}

// readAsked parses a request of either protocol.
func readAsked(body []byte) (a modelRequest, err error) {
	type call struct{ Function struct{ Name string } }
	var in struct {
		Stream       bool
		Instructions string
		Messages     []struct {
			Role    string
			Content json.RawMessage
			Calls   []call `json:"tool_calls"`
		}
		Input json.RawMessage
		Tools []struct {
			Type, Name string
			Function   struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return a, err
	}
	a = modelRequest{body: body, stream: in.Stream, system: in.Instructions}
	for _, t := range in.Tools {
		a.tools = append(a.tools, t.Name+t.Function.Name)
	}
	for _, m := range in.Messages {
		s := modelMessage{role: m.Role, text: string(m.Content)}
		for _, c := range m.Calls {
			s.calls = append(s.calls, c.Function.Name)
		}
		if m.Role == "system" {
			a.system += s.text
			continue
		}
		a.said = append(a.said, s)
	}
	var items []struct {
		Type, Role, Name string
		Content, Output  json.RawMessage
	}
	_ = json.Unmarshal(in.Input, &items) // Input may also be a string; then there are no items
	for _, i := range items {
		switch i.Type {
		case "function_call", "custom_tool_call":
			a.said = append(a.said, modelMessage{role: "assistant", calls: []string{i.Name}})
		case "function_call_output", "custom_tool_call_output":
			a.said = append(a.said, modelMessage{role: "tool", text: string(i.Output)})
		default:
			a.said = append(a.said, modelMessage{role: i.Role, text: string(i.Content)})
		}
	}
	return a, nil
}

// usage is the token usage that every answer of chat completions reports.
var usage = map[string]any{"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}

func writeCompletion(w http.ResponseWriter, stream bool, id string, does answer) {
	message := map[string]any{"role": "assistant", "content": does.text}
	finish := "stop"
	if does.tool != "" {
		args, _ := json.Marshal(does.args)
		finish = "tool_calls"
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{
			"index":    0,
			"id":       id,
			"type":     "function",
			"function": map[string]any{"name": does.tool, "arguments": string(args)},
		}}
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": id, "object": "chat.completion", "model": "played", "usage": usage,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(choices []any, more any) {
		event(w, "", map[string]any{
			"id":      id,
			"object":  "chat.completion.chunk",
			"created": 0,
			"model":   "played",
			"choices": choices,
			"usage":   more,
		})
	}
	chunk([]any{map[string]any{"index": 0, "delta": message, "finish_reason": nil}}, nil)
	chunk([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}, nil)
	chunk([]any{}, usage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func writeResponse(w http.ResponseWriter, id string, does answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	item := map[string]any{
		"type":    "message",
		"id":      "m" + id,
		"role":    "assistant",
		"status":  "completed",
		"content": []any{map[string]any{"type": "output_text", "text": does.text, "annotations": []any{}}},
	}
	if does.tool != "" {
		item = map[string]any{
			"type":    "function_call",
			"id":      "f" + id,
			"call_id": id,
			"status":  "completed",
			"name":    does.tool,
		}
		if text, free := does.args.(string); free { // a tool that takes plain text instead of JSON
			item["type"] = "custom_tool_call"
			item["input"] = text
		} else {
			args, _ := json.Marshal(does.args)
			item["arguments"] = string(args)
		}
	}
	response := map[string]any{
		"id":     "r" + id,
		"object": "response",
		"model":  "played",
		"status": "in_progress",
		"output": []any{},
	}
	event(w, "response.created", map[string]any{"type": "response.created", "response": response})
	event(w, "response.output_item.added",
		map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item})
	event(w, "response.output_item.done",
		map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item})
	response["status"] = "completed"
	response["output"] = []any{item}
	response["usage"] = map[string]any{
		"input_tokens":          1000,
		"output_tokens":         100,
		"total_tokens":          1100,
		"input_tokens_details":  map[string]any{"cached_tokens": 0},
		"output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	event(w, "response.completed", map[string]any{"type": "response.completed", "response": response})
}

func event(w http.ResponseWriter, name string, v any) {
	raw, _ := json.Marshal(v)
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
