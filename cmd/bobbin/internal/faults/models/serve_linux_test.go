package models

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A faultyModel is a robustModel behind an endpoint that spoils each session's requests with the session's
// fault. It checks every request as a strict endpoint would.
type faultyModel struct {
	*httptest.Server
	sessions []*faultySession
	heal     bool

	mu      sync.Mutex
	invalid []string // descriptions of requests that a strict endpoint would refuse
}

func serveFaults(t *testing.T, sessions []*faultySession, heal bool) *faultyModel {
	t.Helper()
	f := &faultyModel{sessions: sessions, heal: heal}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Server.Close)
	t.Cleanup(f.Server.CloseClientConnections) // runs before Close, since some requests are held open
	return f
}

// ServeHTTP answers one request of one session.
func (f *faultyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, ok := chatmodel.ReadRequest(w, r)
	if !ok {
		return
	}
	asked := robustModel{request}
	body := request.Body
	number := -1
	if m := chatmodel.BugNumber.FindSubmatch(body); m != nil {
		number, _ = strconv.Atoi(string(m[1]))
	}
	if number < 0 || number >= len(f.sessions) {
		http.Error(w, "no session", http.StatusTeapot)
		return
	}
	s := f.sessions[number]
	for _, problem := range chatmodel.InvalidRequest(body) {
		f.note("session %d (%s at %s): the model was sent a request with %s", number, s.fault.name,
			s.turn, problem)
	}
	name, args := asked.next(number)
	hit, spoils := s.spoils(asked.Model, name, body)
	switch {
	case spoils == "refused":
		http.Error(w, `{"error":{"message":"This model's maximum context length is exceeded",`+
			`"code":"context_length_exceeded"}}`, http.StatusBadRequest)
	case spoils != "":
		s.fault.spoil(&faultyAnswer{
			Stream: &chatmodel.Stream{ResponseWriter: w, Heal: f.heal},
			r:      r,
			asked:  request,
			name:   name,
			args:   args,
			hit:    hit,
		})
	default:
		(&chatmodel.Stream{ResponseWriter: w}).Answer("tool_calls", asked.call(name, args))
	}
}

// spoils counts a request and decides its answer: "refused", "spoilt" or, for a good answer, an empty string.
func (f *faultySession) spoils(model, name string, body []byte) (hit int, how string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	spare := model == "spare" && !f.fault.rests // the spare model fails only if the fault rests
	switch {
	case f.hits > 0 && f.fault.guard != nil && f.fault.guard(f, body):
		return 0, "refused"
	case f.fault.spoil != nil && name == f.turn && !f.lifted && !spare &&
		(f.fault.times == 0 || f.hits < f.fault.times):
		f.hits++
		if f.fault.whole {
			f.whole++
		}
		return f.hits, "spoilt"
	}
	f.whole++
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
