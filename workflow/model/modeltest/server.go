package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Server plays a script over HTTP. It is safe for concurrent requests.
type Server struct {
	URL string // the base URL, with /v1

	script *Script
	pool   bool // see ServePool
	http   *http.Server
	done   chan struct{} // closed when the server has stopped

	mu       sync.Mutex
	played   map[*part]int        // number of answers given
	asked    map[*part][]*request // for the transcript
	values   captured
	faults   []string
	points   map[string]chan struct{} // waits and hangs that were reached
	releases map[string]chan struct{}
	givenUp  map[string]chan struct{}

	improvised string // see Improvise; empty: the script is followed
}

// Serve starts a server for a script, on a free port of 127.0.0.1.
func Serve(script *Script) (*Server, error) { return serve(script, false) }

// ServePool starts a server that plays the answers of a script in any order: the first answer that the
// conversation does not contain yet, and whose expectations match. If it contains all that match, one that
// expects words of a user is played again. It keeps no state, so a conversation can
// be repeated, and can continue after a restart. A request without an answer is refused, and is no fault.
func ServePool(script *Script) (*Server, error) { return serve(script, true) }

func serve(script *Script, pool bool) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the scripted model: %w", err)
	}
	s := &Server{
		URL:      "http://" + listener.Addr().String() + "/v1",
		script:   script,
		pool:     pool,
		done:     make(chan struct{}),
		played:   map[*part]int{},
		asked:    map[*part][]*request{},
		values:   captured{known: script.captured, values: map[string]string{}},
		points:   map[string]chan struct{}{},
		releases: map[string]chan struct{}{},
		givenUp:  map[string]chan struct{}{},
	}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Close stops the server and breaks all open requests.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, http.StatusNotFound,
			s.fault("%s: nothing answers %s %s", s.script.name, r.Method, plaintext.CutLine(r.URL.Path, 80)))
	})
	return mux
}

// Err returns which requests did not match the script so far, or nil.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return listed(s.faults)
}

// Finish returns which requests did not match the script, and which answers were not played, or nil.
func (s *Server) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := append([]string(nil), s.faults...)
	for _, p := range s.script.parts {
		if n := s.played[p]; n < len(p.answers) {
			faults = append(faults, fmt.Sprintf("%s:%d: %s was asked %d times, "+
				"and the script goes on from here with %d more answers",
				s.script.name, p.answers[n].line, p.header, n, len(p.answers)-n))
		}
	}
	return listed(faults)
}

func listed(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	const most = 20
	if len(faults) > most {
		faults = append(faults[:most:most], fmt.Sprintf("and %d more", len(faults)-most))
	}
	return errors.New("the script was not followed:\n" + strings.Join(faults, "\n"))
}

// Reached returns a channel that is closed when a wait or hang of that name holds a request.
func (s *Server) Reached(name string) <-chan struct{} { return s.point(s.points, name) }

// GivenUp returns a channel that is closed when a client cancels a request that a wait or hang of that name
// holds.
func (s *Server) GivenUp(name string) <-chan struct{} { return s.point(s.givenUp, name) }

// Release ends the wait of that name, whether or not it has been reached.
func (s *Server) Release(name string) { s.close(s.releases, name) }

func (s *Server) point(points map[string]chan struct{}, name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if points[name] == nil {
		points[name] = make(chan struct{})
	}
	return points[name]
}

func (s *Server) close(points map[string]chan struct{}, name string) {
	c := s.point(points, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		ID     string `json:"id"`
		Object string `json:"object"`
		Owner  string `json:"owned_by"`
	}
	list := []entry{}
	for _, name := range s.script.Models() {
		list = append(list, entry{ID: name, Object: "model", Owner: "modeltest"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	asked, err := readRequest(body)
	if err != nil || len(asked.Messages) == 0 {
		s.refuse(w, http.StatusBadRequest, s.fault("%s: a request that is none: %v", s.script.name, err))
		return
	}
	choose := s.choose
	if s.pool {
		choose = s.choosePooled
	}
	play, fault := choose(asked)
	if fault != "" {
		s.refuse(w, http.StatusUnprocessableEntity, fault)
		return
	}
	if s.hold(r.Context(), play.answer) {
		play.write(w, r.Context())
	}
}

// hold waits as the answer says, and reports whether the client is still there.
func (s *Server) hold(ctx context.Context, a *answer) bool {
	var release <-chan struct{} // nil: never released
	if a.wait {
		release = s.point(s.releases, a.point)
	}
	if a.point != "" {
		s.close(s.points, a.point)
	}
	if a.wait || a.hang {
		select {
		case <-release:
		case <-ctx.Done():
			if a.point != "" {
				s.close(s.givenUp, a.point)
			}
			return false
		}
	}
	return pause(ctx, a.delay)
}

func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// choose returns the answer to a request, or the first line of the fault in the request.
func (s *Server) choose(r *request) (preparedAnswer, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.improvised != "" {
		return s.improvise(r), ""
	}
	p := s.partFor(r)
	if p == nil {
		return preparedAnswer{}, s.note("%s: no part answers for the model %q", s.script.name, r.Model)
	}
	if n := tokens(r.prompt); p.reads > 0 && n > p.reads {
		return tooLong(p.reads, n), ""
	}
	n := s.played[p]
	earlier := s.asked[p]
	s.asked[p] = append(earlier, r)
	if n >= len(p.answers) {
		return preparedAnswer{}, s.noteRequest(r, "%s:%d: %s was asked more than the %d times of the script",
			s.script.name, p.line, p.header, n)
	}
	a := p.answers[n]
	for i := range a.expects {
		e := &a.expects[i]
		if missing := e.check(r, &s.values); missing != "" {
			return preparedAnswer{}, s.noteRequest(r, "%s:%d: %s, answer %d: expected %s, but %s",
				s.script.name, e.line, p.header, n+1, e.source, missing)
		}
	}
	for _, c := range a.captures {
		if err := s.values.take(c, r); err != nil {
			return preparedAnswer{}, s.noteRequest(r, "%s:%d: %s, answer %d: %v", s.script.name, c.line,
				p.header, n+1, err)
		}
	}
	play, err := s.prepare(p, n, r, earlier)
	if err != nil {
		return preparedAnswer{}, s.noteRequest(r, "%s:%d: %s, answer %d: %v", s.script.name, a.line,
			p.header, n+1, err)
	}
	s.played[p] = n + 1
	return play, ""
}

// choosePooled returns an answer that continues the conversation. If every answer that does was given before,
// it returns one to what a user says once more.
func (s *Server) choosePooled(r *request) (preparedAnswer, string) {
	var again *preparedAnswer
	for _, p := range s.script.parts {
		for n, a := range p.answers {
			unfit := func(e expectation) bool { return e.check(r, &s.values) != "" }
			if p.model != r.Model || slices.ContainsFunc(a.expects, unfit) {
				continue
			}
			play, err := s.prepare(p, n, r, nil)
			if err != nil {
				continue
			}
			if !r.given(play) {
				return play, ""
			}
			ofUser := func(e expectation) bool { return e.from.kind == "user" && !e.not }
			if again == nil && slices.ContainsFunc(a.expects, ofUser) {
				again = &play
			}
		}
	}
	if again == nil {
		return preparedAnswer{}, s.script.name + ": no answer goes on with this"
	}
	for i := range again.calls { // an id names one call of the conversation
		again.calls[i].ID += fmt.Sprintf("_%d", len(r.Messages))
	}
	return *again, ""
}

// partFor returns the part for a request. It prefers a part that is bound to the conversation.
func (s *Server) partFor(r *request) *part {
	for _, model := range []string{r.Model, "*"} {
		var unbound *part
		for _, p := range s.script.parts {
			switch {
			case p.model != model:
			case p.when == nil:
				unbound = p
			default:
				if found, err := p.when.found(r, &s.values, 0); err == nil && found != p.when.not {
					return p
				}
			}
		}
		if unbound != nil {
			return unbound
		}
	}
	return nil
}

// fault records a fault; note does so while mu is held. Both return the line.
func (s *Server) fault(format string, args ...any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note(format, args...)
}

func (s *Server) note(format string, args ...any) string {
	line := fmt.Sprintf(format, args...)
	s.faults = append(s.faults, line)
	return line
}

// noteRequest also records the new messages of the request. The line that it returns for the client leaves
// them out: the client knows what it sent.
func (s *Server) noteRequest(r *request, format string, args ...any) string {
	line := fmt.Sprintf(format, args...)
	var b strings.Builder
	b.WriteString(line + "\n  new in the request:")
	for _, m := range r.Messages[r.fresh():] {
		text := strings.ReplaceAll(plaintext.CutLine(m.text, 600), "\n", "\n      ")
		if m.Role == "system" {
			text = plaintext.CutLine(text, 60)
		}
		fmt.Fprintf(&b, "\n    %s: %s", strings.TrimSpace(m.Role+" "+m.toolName), text)
	}
	s.faults = append(s.faults, b.String())
	return line
}

func (s *Server) refuse(w http.ResponseWriter, status int, line string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{
		"message": "the script was not followed: " + line,
		"type":    "script_not_followed",
	}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
