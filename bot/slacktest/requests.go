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

	"github.com/bobbinhq/bobbin/bot/slacktest/blockkit"
)

// A Request is one call of the Web API, as it came and as it was answered.
type Request struct {
	At     time.Time
	Method string
	Args   url.Values // without the token
	Status int        // of the answer; 0 while there is none, or when it was lost
	Error  string     // Slack's code when the answer was not ok
	Lost   bool       // carried out, but the answer never left
}

// Requests is every call so far, oldest first; of one method when that is named.
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

// arrive puts a call on record and picks the fault that waits for it.
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

// Picture is what a call shows, in the form that Slack's Block Kit Builder takes. What breaks
// one of Slack's limits is an error.
func Picture(r Request) ([]byte, error) { return blockkit.Picture(r.Args) }
