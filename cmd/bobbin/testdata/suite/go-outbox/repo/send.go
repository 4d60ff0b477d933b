package outbox

import (
	"io"
	"time"
)

// A Sender hands a letter to the mail server.
type Sender interface {
	Send(Letter) error
}

// An Outbox sends what is queued.
type Outbox struct {
	Queue  *Queue
	Sender Sender
	Dead   io.Writer // dead letters, a line each
}

// A Summary says what a run did.
type Summary struct {
	Sent, Postponed, Dead int
}

// Run tries every letter that is due once.
func (o *Outbox) Run(now time.Time) (s Summary, err error) {
	for _, l := range o.Queue.TakeDue(now) {
		if err := o.Sender.Send(l); err == nil {
			s.Sent++
		} else if dead, err := o.fail(l, now); dead {
			s.Dead++
		} else if err == nil {
			s.Postponed++
		}
	}
	return s, nil
}

// fail postpones a letter, or writes it down as dead.
func (o *Outbox) fail(l Letter, now time.Time) (dead bool, err error) {
	l.Attempts++
	if l.Attempts < MostAttempts {
		l.Due = now.Add(backoff(l.Attempts))
		o.Queue.Put(l)
		return false, nil
	}
	_, err = io.WriteString(o.Dead, DeadLetter{Letter: l}.String()+"\n")
	return true, err
}
