package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// A reflex is a model that needs no script: what it says follows from the conversation it
// is shown, so it answers any number of sessions, and gives the same answer to a request
// that is made again after a crash.
func reflex(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var asked conversation
		if err := json.Unmarshal(body, &asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		name, args := asked.next()
		asked.answer(w, name, args)
	}))
	t.Cleanup(server.Close)
	return server
}

// A conversation is a request, as far as a reflex looks at it.
type conversation struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

var bugNumber = regexp.MustCompile(`bug (\d+)`)

// next is what the model calls: the orchestrator reports, delegates, finishes; a worker
// reads the file, mends it, and is done.
func (c conversation) next() (name string, args map[string]any) {
	last, said, called := "", "", ""
	for _, m := range c.Messages[1:] {
		last = string(m.Content)
		said += last
		for _, call := range m.Calls {
			called = call.Function.Name
		}
	}
	number := "0"
	if m := bugNumber.FindStringSubmatch(said); m != nil {
		number = m[1]
	}
	file := "bugs/" + number + ".txt"
	orchestrator := strings.Contains(string(c.Messages[0].Content), "You are the orchestrator")
	switch {
	case orchestrator && called == "delegate" && strings.Contains(last, "Task 1 is done"):
		return "finish", map[string]any{"summary": "Line " + number + " is right now."}
	case orchestrator && strings.Contains(said, "was approved by"):
		return "delegate", map[string]any{"tasks": []any{map[string]any{"category": "quick", "description": "Mend bug " + number + " in " + file}}}
	case orchestrator:
		return "report_root_cause", map[string]any{
			"summary": "Bug " + number, "cause": "The word is wrong in " + file + ":1.", "confidence": "high",
			"evidence": []any{map[string]any{"claim": "it says wrong", "grade": "observed", "source": file + ":1"}},
		}
	case called == "read_file" && !strings.Contains(last, "right "+number):
		return "edit_file", map[string]any{"path": file, "old": "wrong " + number, "new": "right " + number}
	case called == "edit_file" && !strings.Contains(last, "has to be read"), strings.Contains(last, "right "+number) && called == "read_file":
		return "done", map[string]any{"summary": "The word is right in " + file}
	}
	return "read_file", map[string]any{"path": file}
}

// answer streams one call. Its id follows from the conversation, too.
func (c conversation) answer(w http.ResponseWriter, name string, args map[string]any) {
	b, _ := json.Marshal(args)
	sum := fnv.New64a()
	for _, m := range c.Messages {
		sum.Write(m.Content)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []map[string]any{
		{"delta": map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%x_%d", sum.Sum64(), len(c.Messages)), "type": "function",
			"function": map[string]any{"name": name, "arguments": string(b)},
		}}}},
		{"delta": map[string]any{}, "finish_reason": "tool_calls"},
	} {
		chunk["index"] = 0
		raw, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": c.Model, "choices": []any{chunk}})
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	io.WriteString(w, "data: [DONE]\n\n")
}
