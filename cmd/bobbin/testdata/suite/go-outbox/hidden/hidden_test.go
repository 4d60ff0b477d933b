package outbox

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// shut takes nothing that is written.
type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestHiddenALetterThatCannotBeWrittenDownStays(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "a", noon)
	s := &server{fails: map[string]error{"a": errors.New("away")}}
	o := &Outbox{Queue: &q, Sender: s, Dead: shut{}}
	var failed error
	for i := range 8 {
		if _, err := o.Run(noon.Add(time.Duration(i) * time.Hour)); err != nil {
			failed = err
		}
	}
	if failed == nil || !strings.Contains(failed.Error(), "disk full") {
		t.Errorf("nobody was told: %v", failed)
	}
	if q.Len() != 1 {
		t.Error("the letter is neither queued nor written down")
	}
}

func TestHiddenTheOthersAreSentAllTheSame(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "a", noon)
	q.Add("bea@example.com", "b", noon)
	s := &server{fails: map[string]error{"a": fmt.Errorf("no such person: %w", ErrRefused)}}
	o := &Outbox{Queue: &q, Sender: s, Dead: shut{}}
	if sum, err := o.Run(noon); err == nil || sum.Sent != 1 {
		t.Errorf("got %+v, %v", sum, err)
	}
}

func TestHiddenDeadLettersTellTheReason(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "a", noon)
	q.Add("bea@example.com", "b", noon)
	s := &server{fails: map[string]error{"a": fmt.Errorf("no such person: %w", ErrRefused), "b": errors.New("away")}}
	var dead strings.Builder
	o := &Outbox{Queue: &q, Sender: s, Dead: &dead}
	if sum, err := o.Run(noon); err != nil || sum != (Summary{Postponed: 1, Dead: 1}) {
		t.Errorf("got %+v, %v", sum, err)
	}
	for i := 1; i < 6; i++ {
		if _, err := o.Run(noon.Add(time.Duration(i) * time.Hour)); err != nil {
			t.Error(err)
		}
	}
	want := "letter 1 to ann@example.com after 1 attempts: no such person: refused\nletter 2 to bea@example.com after 5 attempts: away\n"
	if dead.String() != want || q.Len() != 0 {
		t.Errorf("got %q, %d left", dead.String(), q.Len())
	}
}

func TestHiddenLettersToOneAddressKeepTheirOrder(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "received", noon)
	q.Add("ann@example.com", "shipped", noon)
	q.Add("bea@example.com", "other", noon)
	s := &server{fails: map[string]error{"received": errors.New("away")}}
	o := &Outbox{Queue: &q, Sender: s, Dead: &strings.Builder{}}
	if _, err := o.Run(noon); err != nil {
		t.Error(err)
	}
	if !reflect.DeepEqual(s.got, []string{"other"}) {
		t.Errorf("got %v, want only the other one", s.got)
	}
	if l := q.Letters(); len(l) != 2 || l[0].Attempts != 1 || l[1].Attempts != 0 {
		t.Errorf("queued: %+v", l)
	}
	s.fails = nil
	if _, err := o.Run(noon.Add(30 * time.Second)); err != nil {
		t.Error(err)
	}
	if len(s.got) != 1 {
		t.Errorf("%v: the second letter overtook the first", s.got)
	}
	q.Add("ann@example.com", "paid", noon)
	if _, err := o.Run(noon.Add(time.Minute)); err != nil {
		t.Error(err)
	}
	if want := []string{"other", "received", "shipped", "paid"}; !reflect.DeepEqual(s.got, want) {
		t.Errorf("got %v, want %v", s.got, want)
	}
}

func TestHiddenWhatIsDeadHoldsNobodyUp(t *testing.T) {
	var q Queue
	q.Add("ann@example.com", "received", noon)
	q.Add("ann@example.com", "shipped", noon)
	s := &server{fails: map[string]error{"received": ErrRefused}}
	o := &Outbox{Queue: &q, Sender: s, Dead: &strings.Builder{}}
	if _, err := o.Run(noon); err != nil {
		t.Error(err)
	}
	if !reflect.DeepEqual(s.got, []string{"shipped"}) {
		t.Errorf("got %v", s.got)
	}
}
