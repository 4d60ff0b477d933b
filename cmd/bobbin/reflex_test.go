package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A reflex is a model that needs no script: what it says follows from the conversation it
// is shown, so it answers any number of sessions, and gives the same answer to a request
// that is made again after a crash.
func reflex(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _, ok := readConversation(w, r)
		if !ok {
			return
		}
		name, args := asked.next()
		asked.answer(w, name, args)
	}))
	t.Cleanup(server.Close)
	return server
}

// readConversation is what was asked, and its bytes; whoever asked badly is told so.
func readConversation(w http.ResponseWriter, r *http.Request) (c conversation, body []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return c, nil, false
	}
	if err := json.Unmarshal(body, &c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return c, nil, false
	}
	return c, body, true
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

var (
	bugNumber = regexp.MustCompile(`bug (\d+)`)
	bugFile   = regexp.MustCompile(`Mend bug \d+ in (bugs/\w+\.txt)`)
)

// next is what the model calls.
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
	if strings.Contains(string(c.Messages[0].Content), "You are the orchestrator") {
		return orchestrate(number, last, said, called)
	}
	file := "bugs/" + number + ".txt"
	if m := bugFile.FindStringSubmatch(said); m != nil {
		file = m[1]
	}
	return mend(number, file, last, called)
}

// orchestrate reports, delegates and finishes. Every third bug has two tasks side by side.
func orchestrate(number, last, said, called string) (string, map[string]any) {
	n, _ := strconv.Atoi(number)
	switch {
	case called == "delegate" && strings.Contains(last, "is done"):
		return "finish", map[string]any{"summary": "Line " + number + " is right now."}
	case strings.Contains(said, "was approved by"):
		list := []any{map[string]any{"category": "quick", "description": "Mend bug " + number + " in bugs/" + number + ".txt"}}
		if tasks(n) == 2 {
			list = append(list, map[string]any{"category": "quick", "description": "Mend bug " + number + " in bugs/" + number + "b.txt"})
		}
		return "delegate", map[string]any{"tasks": list}
	}
	return "report_root_cause", map[string]any{
		"summary": "Bug " + number, "cause": "The word is wrong in bugs/" + number + ".txt:1.", "confidence": "high",
		"evidence": []any{map[string]any{"claim": "it says wrong", "grade": "observed", "source": "bugs/" + number + ".txt:1"}},
	}
}

// mend reads the file, edits it, has a command run for every third bug, and is done.
func mend(number, file, last, called string) (string, map[string]any) {
	n, _ := strconv.Atoi(number)
	right := strings.Contains(last, "right "+number)
	switch {
	case called == "read_file" && !right:
		return "edit_file", map[string]any{"path": file, "old": "wrong " + number, "new": "right " + number}
	case called == "edit_file" && strings.Contains(last, "has to be read"):
		return "read_file", map[string]any{"path": file}
	case n%3 == 2 && (called == "edit_file" || called == "read_file"):
		return "run", map[string]any{"command": "grep -c right " + file}
	case called == "edit_file", called == "read_file", called == "run":
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
