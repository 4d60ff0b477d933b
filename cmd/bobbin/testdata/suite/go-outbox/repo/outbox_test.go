package outbox

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A server takes letters unless it is told otherwise.
type server struct {
	fails map[string]error // by text
	got   []string
}

func (s *server) Send(l Letter) error {
	if err := s.fails[l.Text]; err != nil {
		return err
	}
	s.got = append(s.got, l.Text)
	return nil
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestEverythingIsSent(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "a", noon)
	q.Add("bea@example.com", "b", noon)
	s := &server{}
	o := &Outbox{Queue: &q, Sender: s, Dead: &strings.Builder{}}
	sum, err := o.Run(noon)
	if err != nil || sum != (Summary{Sent: 2}) || q.Len() != 0 || len(s.got) != 2 {
		t.Errorf("got %+v, %v; %v", sum, err, s.got)
	}
}

func TestALetterIsTriedAgain(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "a", noon)
	s := &server{fails: map[string]error{"a": errors.New("away")}}
	o := &Outbox{Queue: &q, Sender: s, Dead: &strings.Builder{}}
	if sum, _ := o.Run(noon); sum.Postponed != 1 || q.Letters()[0].Attempts != 1 {
		t.Errorf("got %+v", sum)
	}
	if sum, _ := o.Run(noon.Add(30 * time.Second)); sum != (Summary{}) {
		t.Errorf("it was tried too early: %+v", sum)
	}
	s.fails = nil
	if sum, _ := o.Run(noon.Add(time.Minute)); sum.Sent != 1 {
		t.Errorf("got %+v", sum)
	}
}

func TestBackoffDoubles(t *testing.T) {
	if backoff(1) != time.Minute || backoff(4) != 8*time.Minute {
		t.Errorf("got %v and %v", backoff(1), backoff(4))
	}
}
