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

// RetryPolicy bounds how long and how often a remote is tried before anybody is told. The
// zero value suits people who wait in a thread.
type RetryPolicy struct {
	Tries   int           // of what may pass by itself; default 4
	Wait    time.Duration // before the second try, longer before each further one; default 1 s
	MaxWait time.Duration // a remote that asks for more is told of at once; default 30 s
	Most    time.Duration // no try begins later than this after the first; default 3 min
	Idle    time.Duration // without a byte a remote is given up; default 90 s
}

func (p RetryPolicy) WithDefaults() RetryPolicy {
	p.Tries = cmp.Or(p.Tries, 4)
	p.Wait = cmp.Or(p.Wait, time.Second)
	p.MaxWait = cmp.Or(p.MaxWait, 30*time.Second)
	p.Most = cmp.Or(p.Most, 3*time.Minute)
	p.Idle = cmp.Or(p.Idle, 90*time.Second)
	return p
}

// Do tries what may fail by a passing fault of the remote. A refusal is an answer, and is
// never asked for twice. Further tries are logged.
func (p RetryPolicy) Do(ctx context.Context, log *slog.Logger, try func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval, growing.Multiplier = p.Wait, p.MaxWait, 2
	tries := 0
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		tries++
		last = try()
		return struct{}{}, p.classify(ctx, last, growing)
	},
		backoff.WithBackOff(growing),
		backoff.WithMaxTries(uint(p.Tries)),
		backoff.WithMaxElapsedTime(p.Most),
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

// classify tells backoff what to do with an error.
func (p RetryPolicy) classify(ctx context.Context, err error, growing *backoff.ExponentialBackOff) error {
	var remote *Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, !errors.As(err, &remote), !remote.Retry, remote.After > p.MaxWait:
		return backoff.Permanent(err)
	case remote.After > 0:
		// A little later than asked, and not all at the same moment.
		return errors.Join(err, &backoff.RetryAfterError{Duration: remote.After + growing.NextBackOff()/10})
	}
	return err
}

// RetryAfter is how long an answer asks to wait; 0 where it does not say.
func RetryAfter(h http.Header) time.Duration {
	asked := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(asked); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(MaxAsked/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(asked); err == nil {
		now := time.Now()
		// By the remote's own clock, where it tells: ours may be an hour off.
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(0, at.Sub(now)), MaxAsked)
	}
	return 0
}

const MaxAsked = 24 * time.Hour // a longer time is not worth telling apart
