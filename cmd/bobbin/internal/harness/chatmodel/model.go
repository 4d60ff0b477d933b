package chatmodel

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// A Policy returns the tool call that a model makes next. It depends only on the conversation, so the same
// request has the same answer after a crash, and one policy serves any number of sessions.
type Policy func(r Request) (tool string, args map[string]any)

// Serve starts an endpoint whose model follows a policy. It is closed when the test ends.
func Serve(t testing.TB, next Policy) *httptest.Server {
	t.Helper()
	return ServeRequests(t, func(w http.ResponseWriter, _ *http.Request, asked Request) {
		tool, args := next(asked)
		asked.Answer(w, tool, args)
	})
}

// ServeRequests starts an endpoint that passes each valid request to answer, which may answer badly. It is
// closed when the test ends.
func ServeRequests(
	t testing.TB, answer func(w http.ResponseWriter, r *http.Request, asked Request),
) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked, ok := ReadRequest(w, r); ok {
			answer(w, r, asked)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // runs before Close, since some requests may be held open
	return server
}

// A Request is a chat completion request, with the fields that policies read.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`

	Body []byte `json:"-"` // the raw body
}

// A Message is one message of a conversation.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"tool_call_id"` // of a tool result
	Calls   []MessageCall   `json:"tool_calls"`
}

// A MessageCall is a tool call that the model made before.
type MessageCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Text returns the text of a message, its content as raw JSON if that is not a string, or an empty string if
// it has none.
func (m Message) Text() string {
	var text *string
	if len(m.Content) == 0 {
		return ""
	}
	if json.Unmarshal(m.Content, &text) != nil {
		return string(m.Content)
	}
	if text == nil {
		return ""
	}
	return *text
}

// ReadRequest reads a chat completion request. It answers malformed JSON and a request without messages with
// status 400, and returns false.
func ReadRequest(w http.ResponseWriter, r *http.Request) (asked Request, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return asked, false
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Messages) == 0 {
		http.Error(w, "not a conversation", http.StatusBadRequest)
		return asked, false
	}
	asked.Body = body
	return asked, true
}

// System returns the system prompt.
func (r Request) System() string { return r.Messages[0].Text() }

// IsOrchestrator reports whether the request is the orchestrator's.
func (r Request) IsOrchestrator() bool {
	return strings.Contains(r.System(), "You are the orchestrator")
}

// IsConsultant reports whether the request is the consultant's.
func (r Request) IsConsultant() bool { return strings.Contains(r.System(), "You are the consultant") }

// isCritic reports whether the request asks to review a change before its push.
func (r Request) isCritic() bool {
	return strings.Contains(r.System(), "You review a change before it is pushed")
}

// nothingFound returns the critic's tool call without findings.
func nothingFound() (tool string, args map[string]any) {
	return "review_change", map[string]any{"findings": []any{}}
}

// Answer streams one tool call. The call's ID depends only on the conversation, too.
func (r Request) Answer(w http.ResponseWriter, tool string, args map[string]any) {
	b, _ := json.Marshal(args)
	sum := fnv.New64a()
	for _, m := range r.Messages {
		sum.Write(m.Content)
	}
	s := &Stream{ResponseWriter: w, Free: true}
	s.Answer("tool_calls", Call{fmt.Sprintf("call_%x_%d", sum.Sum64(), len(r.Messages)), tool, string(b)})
}

// A Call is a tool call of the model, as it is sent to the client.
type Call struct{ ID, Name, Args string }

// A Stream writes a streamed answer in pieces.
type Stream struct {
	http.ResponseWriter
	Heal bool // an answer that is cut off ends like a complete answer
	Free bool // the answer has no usage figures
}

// Begin sets the content type of an event stream.
func (s *Stream) Begin() { s.Header().Set("Content-Type", "text/event-stream") }

// chunk writes and flushes one event.
func (s *Stream) chunk(v any) {
	raw, _ := json.Marshal(v)
	fmt.Fprintf(s, "data: %s\n\n", raw)
	s.Flush()
}

// Flush sends what was written so far.
func (s *Stream) Flush() { s.ResponseWriter.(http.Flusher).Flush() }

// Delta writes a piece of the answer.
func (s *Stream) Delta(delta map[string]any, finish any) {
	s.chunk(map[string]any{
		"id":      "c",
		"object":  "chat.completion.chunk",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

// Call writes a tool call, or a piece of a tool call.
func (s *Stream) Call(index int, c Call) {
	s.Delta(map[string]any{"tool_calls": []any{map[string]any{
		"index":    index,
		"id":       c.ID,
		"type":     "function",
		"function": map[string]any{"name": c.Name, "arguments": c.Args},
	}}}, nil)
}

// usageLine is the event with the token usage of a complete answer.
const usageLine = `data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100}}` + "\n\n"

// End finishes an answer with that finish reason, or with tool_calls if Heal is set.
func (s *Stream) End(reason string) {
	if s.Heal {
		reason = "tool_calls"
	}
	s.Delta(map[string]any{}, reason)
	if !s.Free {
		io.WriteString(s, usageLine)
	}
	io.WriteString(s, "data: [DONE]\n\n")
}

// Answer writes a complete stream with these calls and that finish reason.
func (s *Stream) Answer(reason string, calls ...Call) {
	s.Begin()
	for i, c := range calls {
		s.Call(i, c)
	}
	s.End(reason)
}

// BreakOff aborts the connection in the middle of the answer. If Heal is set, it ends the answer properly
// instead.
func (s *Stream) BreakOff() {
	if s.Heal {
		s.End("tool_calls")
		return
	}
	s.Flush()
	panic(http.ErrAbortHandler)
}

// Reset closes the connection with a TCP reset, as if the machine were gone.
func (s *Stream) Reset() {
	conn, _, err := s.ResponseWriter.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// Refuse answers with a status and a body instead of a stream. The header arguments are pairs of a name and a
// value.
func (s *Stream) Refuse(status int, body string, header ...string) {
	for i := 0; i+1 < len(header); i += 2 {
		s.Header().Set(header[i], header[i+1])
	}
	s.WriteHeader(status)
	io.WriteString(s, body)
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// InvalidRequest returns what a strict endpoint would reject in a request: each tool call needs one result,
// in order right behind it; call IDs are unique; the tool's name has the form that every tool has;
// arguments are an object; no message is empty. It also rejects calls whose ID starts with "half", which
// tests use for incomplete calls.
func InvalidRequest(body []byte) (problems []string) {
	var request Request
	if err := json.Unmarshal(body, &request); err != nil {
		return []string{"messages that are none: " + err.Error()}
	}
	note := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	ids := map[string]bool{}
	open := []string{}
	for i, m := range request.Messages {
		if m.Role != "tool" && len(open) > 0 {
			note("calls without a result: %s", strings.Join(open, ", "))
			open = nil
		}
		if (i == 0) != (m.Role == "system") {
			note("the role %s at %d", m.Role, i)
		}
		if len(m.Calls) == 0 && strings.TrimSpace(m.Text()) == "" {
			note("an empty message of %s", m.Role)
		}
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.CallID {
				note("the result of %q where that of %q has to be", m.CallID, open)
			}
			open = open[min(1, len(open)):]
		}
		for _, c := range m.Calls {
			var object map[string]any
			if m.Role != "assistant" || c.ID == "" || c.Type != "function" || c.Function.Name == "" {
				note("a call that is none: %+v", c)
			}
			if !toolName.MatchString(c.Function.Name) {
				note("a tool's name that is none: %.80s", c.Function.Name)
			}
			if ids[c.ID] {
				note("the id %s twice", c.ID)
			}
			if json.Unmarshal([]byte(c.Function.Arguments), &object) != nil {
				note("arguments that are no object: %.80s", c.Function.Arguments)
			}
			if strings.HasPrefix(c.ID, "half") {
				note("half a call: %s", c.ID)
			}
			ids[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		note("calls without a result: %s", strings.Join(open, ", "))
	}
	return problems
}
