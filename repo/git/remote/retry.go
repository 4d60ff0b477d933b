package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A RetryPolicy limits how long and how often a remote is tried before the error is reported. WithDefaults
// sets the zero fields to values that suit people who wait in a thread.
type RetryPolicy struct {
	// the most tries for an error with Retry set; default 4
	Tries int
	// before the second try; it doubles for each further try; default 1 s
	Wait time.Duration
	// the longest wait; if a remote asks for more, the error is reported at once; default 30 s
	MaxWait time.Duration
	// no try begins later than this after the first; default 3 min
	Most time.Duration
	// how long a remote may send no byte before the try is given up; default 90 s
	Idle time.Duration
}

func (r RetryPolicy) WithDefaults() RetryPolicy {
	r.Tries = cmp.Or(r.Tries, 4)
	r.Wait = cmp.Or(r.Wait, time.Second)
	r.MaxWait = cmp.Or(r.MaxWait, 30*time.Second)
	r.Most = cmp.Or(r.Most, 3*time.Minute)
	r.Idle = cmp.Or(r.Idle, 90*time.Second)
	return r
}

// Do calls try until it succeeds, fails with an error that cannot pass by itself, or the limits are
// reached, and returns the last error. A refusal is a response, and is never retried. Further tries are
// logged.
func (r RetryPolicy) Do(ctx context.Context, log *slog.Logger, try func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = r.Wait
	growing.MaxInterval = r.MaxWait
	growing.Multiplier = 2
	tries := 0
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		tries++
		last = try()
		return struct{}{}, r.classify(ctx, last, growing)
	},
		backoff.WithBackOff(growing),
		backoff.WithMaxTries(uint(r.Tries)),
		backoff.WithMaxElapsedTime(r.Most),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			log.Warn("the remote is tried again", "why", last, "wait", wait.Round(time.Millisecond))
		}),
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	var remote *Error
	if tries > 1 && errors.As(last, &remote) && remote.Retry {
		remote.Reason += fmt.Sprintf(" (tried %d times)", tries)
	}
	return last
}

// classify marks an error as permanent for backoff, or sets the wait that the remote asked for.
func (r RetryPolicy) classify(ctx context.Context, err error, growing *backoff.ExponentialBackOff) error {
	var remote *Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, !errors.As(err, &remote), !remote.Retry, remote.After > r.MaxWait:
		return backoff.Permanent(err)
	case remote.After > 0:
		// The wait is a little longer than asked and random, so that not all clients retry at the same
		// moment.
		return errors.Join(err, &backoff.RetryAfterError{Duration: remote.After + growing.NextBackOff()/10})
	}
	return err
}

// RetryAfter returns the wait that a response asks for, at most MaxAsked; 0 if it asks for none.
func RetryAfter(h http.Header) time.Duration {
	asked := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(asked); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(MaxAsked/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(asked); err == nil {
		now := time.Now()
		// The remote's own clock counts if it sent a Date: ours may be an hour off.
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(0, at.Sub(now)), MaxAsked)
	}
	return 0
}

const MaxAsked = 24 * time.Hour // the upper limit of a requested wait; longer ones make no difference
