// Package outbox sends queued letters, and tries again what could not be sent.
package outbox

import (
	"errors"
	"fmt"
	"time"
)

// A Letter waits to be sent.
type Letter struct {
	ID       int
	To       string
	Text     string
	Attempts int
	Due      time.Time // not before
}

// MostAttempts is how often a letter is tried.
const MostAttempts = 5

// ErrRefused is wrapped by a sender's error where trying again is of no use.
var ErrRefused = errors.New("refused")

// backoff is how long to wait after so many attempts.
func backoff(attempts int) time.Duration {
	return time.Minute << (attempts - 1)
}

// A DeadLetter will not be tried again.
type DeadLetter struct {
	Letter Letter
	Reason string
}

func (d DeadLetter) String() string {
	return fmt.Sprintf("letter %d to %s after %d attempts: %s", d.Letter.ID, d.Letter.To, d.Letter.Attempts, d.Reason)
}
