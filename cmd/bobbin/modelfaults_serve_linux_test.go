package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A faultyModel is a mind behind an endpoint that spoils each session's requests as the
// session says, and that looks at every request as a strict endpoint would.
type faultyModel struct {
	*httptest.Server
	sessions []*spoiled
	heal     bool

	mu      sync.Mutex
	invalid []string // requests that no strict endpoint would take
}

func serveFaults(t *testing.T, sessions []*spoiled, heal bool) *faultyModel {
	t.Helper()
	f := &faultyModel{sessions: sessions, heal: heal}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Server.Close)
	t.Cleanup(f.Server.CloseClientConnections) // before it: some requests are held
	return f
}

// ServeHTTP answers one request of one session.
func (f *faultyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var asked mind
	if err != nil || json.Unmarshal(body, &asked) != nil || len(asked.Messages) == 0 {
		return
	}
	number := -1
	if m := reportedBug.FindSubmatch(body); m != nil {
		number, _ = strconv.Atoi(string(m[1]))
	}
	if number < 0 || number >= len(f.sessions) {
		http.Error(w, "no session", http.StatusTeapot)
		return
	}
	s := f.sessions[number]
	for _, problem := range invalidRequest(body) {
		f.note("session %d (%s at %s): the model was sent a request with %s", number, s.fault.name, s.turn, problem)
	}
	name, args := asked.next(number)
	hit, spoils := s.spoils(asked.Model, name, body)
	switch {
	case spoils == "refused":
		http.Error(w, `{"error":{"message":"This model's maximum context length is exceeded","code":"context_length_exceeded"}}`, http.StatusBadRequest)
	case spoils != "":
		s.fault.spoil(&shot{ResponseWriter: w, r: r, asked: asked, body: body, name: name, args: args, hit: hit, heal: f.heal})
	default:
		(&shot{ResponseWriter: w, r: r}).answer("tool_calls", asked.call(name, args))
	}
}

// reportedBug is the number of the bug that a conversation is about.
var reportedBug = regexp.MustCompile(`bug (\d+)`)

// spoils says what becomes of a request, and counts it.
func (s *spoiled) spoils(model, name string, body []byte) (hit int, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spare := model == "spare" && !s.fault.rests // it fails too only where the fault says so
	switch {
	case s.hits > 0 && s.fault.guard != nil && s.fault.guard(s, body):
		return 0, "refused"
	case s.fault.spoil != nil && name == s.turn && !s.lifted && !spare && (s.fault.times == 0 || s.hits < s.fault.times):
		s.hits++
		if s.fault.whole {
			s.whole++
		}
		return s.hits, "spoilt"
	}
	s.whole++
	return 0, ""
}

func (f *faultyModel) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.invalid = append(f.invalid, fmt.Sprintf(format, args...))
}

func (f *faultyModel) problems() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.invalid)
}

// A sentMessage is a message on the wire.
type sentMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	CallID  string  `json:"tool_call_id"`
	Calls   []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// invalidRequest is what a strict endpoint refuses: every call has one result, right behind
// it; every id is there once; arguments are an object; nothing is empty.
func invalidRequest(body []byte) (problems []string) {
	var request struct {
		Messages []sentMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return []string{"messages that are none: " + err.Error()}
	}
	note := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	ids, open := map[string]bool{}, []string{}
	for i, m := range request.Messages {
		if m.Role != "tool" && len(open) > 0 {
			note("calls without a result: %s", strings.Join(open, ", "))
			open = nil
		}
		if (i == 0) != (m.Role == "system") {
			note("the role %s at %d", m.Role, i)
		}
		if len(m.Calls) == 0 && (m.Content == nil || strings.TrimSpace(*m.Content) == "") {
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

// The one who looks at requests sees what is wrong with them.
func TestInvalidRequestsAreFoundOut(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"say","arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"a","content":"x"}`
	for messages, want := range map[string]string{
		call:                               "calls without a result: a",
		call + "," + result + "," + result: "the result of",
		result:                             "the result of",
		call + `,{"role":"user","content":"x"},` + result:          "calls without a result: a",
		call + "," + result + "," + call + "," + result:            "the id a twice",
		strings.ReplaceAll(call, `"{}"`, `"{\"me"`) + "," + result: "arguments that are no object",
		strings.ReplaceAll(call+","+result, `"a"`, `"half-1"`):     "half a call",
		`{"role":"assistant","content":" "}`:                       "an empty message of assistant",
		call + "," + result:                                        "",
	} {
		body := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},` + messages + `]}`
		got := strings.Join(invalidRequest([]byte(body)), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", messages, got, want)
		}
	}
}
