package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// A responseHook is the target of a response_url: it accepts five responses within half an hour, for the
// place where a person clicked or typed.
type responseHook struct {
	url     string
	channel string
	message string // ts of the message that was clicked; empty for a command
	thread  string
	user    string
	uses    int
	till    time.Time
}

func (s *Server) responseURL(ch *Channel, m *Message, user string) string {
	return s.hook(ch, m, user).url
}

func (s *Server) hook(ch *Channel, m *Message, user string) *responseHook {
	id := newUUID()
	h := &responseHook{
		url:     s.base() + "/actions/" + id,
		channel: ch.ID,
		user:    user,
		till:    s.cfg.Now().Add(30 * time.Minute),
	}
	if m != nil {
		h.message = m.TS
		h.thread = m.ThreadTS
	}
	s.state.hooks[id] = h
	return h
}

func (s *Server) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = s.respond(strings.TrimPrefix(r.URL.Path, "/actions/"), raw)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(object{"ok": false, "error": err.Error()})
		return
	}
	_ = json.NewEncoder(w).Encode(object{"ok": true})
}

func (s *Server) respond(id string, raw []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.state.hooks[id]
	switch {
	case h == nil:
		return fail("invalid_url")
	case s.cfg.Now().After(h.till):
		return fail("expired_url")
	case h.uses >= 5:
		return fail("used_url")
	}
	h.uses++
	return h.take(s, raw)
}

// take applies a response that was sent to a response_url or in an acknowledgement. The caller holds mu.
func (r *responseHook) take(s *Server, raw []byte) error {
	c := &call{args: map[string][]string{}}
	if err := c.readJSON(strings.NewReader(string(raw))); err != nil {
		return err
	}
	ch := s.state.channels[r.channel]
	original := s.state.message(r.channel, r.message)
	if c.yes("delete_original") {
		if original != nil {
			s.erase(ch, original)
		}
		return nil
	}
	if !c.has("text") && !c.has("blocks") {
		return nil // an empty acknowledgement posts nothing
	}
	m, err := s.compose(c, ch)
	if err != nil {
		return err
	}
	switch {
	case c.yes("replace_original") && original != nil:
		s.change(ch, original, original.User, func() {
			original.Text = m.Text
			original.Blocks = m.Blocks
			original.Attachments = m.Attachments
		})
	case c.get("response_type") == "in_channel":
		m.ThreadTS = s.state.root(ch.ID, c.get("thread_ts"))
		s.post(ch, m)
	default:
		m.ThreadTS = r.thread
		s.whisper(m, r.user)
	}
	return nil
}
