package hosttest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func cut(s string) (before, after string, found bool) { return strings.Cut(s, " ") }

// A Delivery is a webhook that was sent, with the status of its response.
type Delivery struct {
	Event  string
	Body   []byte
	Status int // 0 if there was no response
}

// Hook makes the Server send its changes to url from now on, signed with the secret as the host does.
func (s *Server) Hook(url, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hookURL = url
	s.hookSecret = secret
}

// Redeliver sends a webhook again unchanged.
func (s *Server) Redeliver(d Delivery) Delivery { return s.deliver(d) }

// Deliveries returns all webhooks that were sent because of a change.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Delivery(nil), s.delivered...)
}

// tell sends an event as a webhook.
func (s *Server) tell(event string) {
	s.mu.Lock()
	body, err := json.Marshal(map[string]any{
		"action":     event,
		"number":     len(s.delivered) + 1,
		"repository": map[string]any{"full_name": s.cfg.Repository},
	})
	quiet := s.hookURL == ""
	s.mu.Unlock()
	if quiet || err != nil {
		return
	}
	d := s.deliver(Delivery{Event: event, Body: body})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered = append(s.delivered, d)
}

func (s *Server) deliver(d Delivery) Delivery {
	s.mu.Lock()
	url := s.hookURL
	secret := s.hookSecret
	s.mu.Unlock()
	d.Status = 0
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(d.Body))
	if err != nil {
		return d
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(d.Body)
	signature := hex.EncodeToString(mac.Sum(nil))
	req.Header.Set("Content-Type", "application/json")
	switch s.cfg.Kind {
	case "github":
		req.Header.Set("X-GitHub-Event", d.Event)
		req.Header.Set("X-Hub-Signature-256", "sha256="+signature)
	case "gitlab":
		req.Header.Set("X-Gitlab-Event", d.Event)
		req.Header.Set("X-Gitlab-Token", secret)
	case "gitea":
		req.Header.Set("X-Gitea-Event", d.Event)
		req.Header.Set("X-Gitea-Signature", signature)
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		d.Status = res.StatusCode
		_ = res.Body.Close()
	}
	return d
}
