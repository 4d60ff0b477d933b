package slacktest

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// A Request is the record of one call of the Web API and its response.
type Request struct {
	At     time.Time
	Method string
	Args   url.Values // without the token
	Status int        // HTTP status of the response; 0 before the response, or if it was lost
	Error  string     // Slack's error code if the response was not ok
	Lost   bool       // the call was carried out, but the response was never sent
}

// Requests returns every call so far, oldest first. If method is not empty, it returns only calls of that
// method.
func (s *Server) Requests(method string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Request
	for _, r := range s.log {
		if method == "" || r.Method == method {
			c := *r
			c.Args = maps.Clone(r.Args)
			found = append(found, c)
		}
	}
	return found
}

// arrive records a call and returns the ordered fault that applies to it.
func (s *Server) arrive(c *call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry = &Request{At: s.cfg.Now(), Method: c.method, Args: c.args}
	s.log = append(s.log, c.entry)
	fault := s.faults.take(c.method, c.channel())
	s.touch()
	return fault
}

// settle records how a call ended.
func (s *Server) settle(c *call, status int, err error, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry.Status, c.entry.Lost = status, lost
	var f *failure
	if errors.As(err, &f) {
		c.entry.Error = f.code
	}
	s.cfg.Log.Debug("slacktest call", "method", c.method, "status", status, "error", c.entry.Error, "lost", lost)
	s.touch()
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func writeCursor(at int) string {
	return base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(at)))
}

func readCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.StdEncoding.DecodeString(cursor)
	if err != nil {
		return 0, err
	}
	number, found := strings.CutPrefix(string(raw), "next:")
	if !found {
		return 0, errors.New("not a cursor")
	}
	return strconv.Atoi(number)
}

// Picture returns what a call shows, in the format of Slack's Block Kit Builder. It returns an error if a
// limit of Slack is exceeded.
func Picture(r Request) ([]byte, error) { return blockkit.Picture(r.Args) }
