package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Patience bounds how long and how often a remote is tried before anybody is told. The
// zero value suits people who wait in a thread.
type Patience struct {
	Tries   int           // of what may pass by itself; default 4
	Wait    time.Duration // before the second try, longer before each further one; default 1 s
	MaxWait time.Duration // a remote that asks for more is told of at once; default 30 s
	Most    time.Duration // no try begins later than this after the first; default 3 min
	Idle    time.Duration // without a byte a remote is given up; default 90 s
}

func (p Patience) complete() Patience {
	p.Tries = cmp.Or(p.Tries, 4)
	p.Wait = cmp.Or(p.Wait, time.Second)
	p.MaxWait = cmp.Or(p.MaxWait, 30*time.Second)
	p.Most = cmp.Or(p.Most, 3*time.Minute)
	p.Idle = cmp.Or(p.Idle, 90*time.Second)
	return p
}

// persist tries what may fail by a passing fault of the remote. A refusal is an answer,
// and is never asked for twice.
func (m *Mirror) persist(ctx context.Context, do func() error) error {
	p := m.patience
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval, growing.Multiplier = p.Wait, p.MaxWait, 2
	tries := 0
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		tries++
		last = do()
		return struct{}{}, p.judge(ctx, last, growing)
	},
		backoff.WithBackOff(growing),
		backoff.WithMaxTries(uint(p.Tries)),
		backoff.WithMaxElapsedTime(p.Most),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			m.log.Warn("the remote is tried again", "repository", m.Remote().Name, "why", last, "wait", wait.Round(time.Millisecond))
		}),
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	var remote *RemoteError
	if tries > 1 && errors.As(last, &remote) && remote.Retry {
		remote.Reason += fmt.Sprintf(" (tried %d times)", tries)
	}
	return last
}

// judge says what backoff has to do with an error.
func (p Patience) judge(ctx context.Context, err error, growing *backoff.ExponentialBackOff) error {
	var remote *RemoteError
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

// retryAfter is how long an answer asks to wait; 0 where it does not say.
func retryAfter(h http.Header) time.Duration {
	asked := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(asked); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(maxAsked/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(asked); err == nil {
		now := time.Now()
		// By the remote's own clock, where it tells: ours may be an hour off.
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(0, at.Sub(now)), maxAsked)
	}
	return 0
}

const maxAsked = 24 * time.Hour // a longer time is not worth telling apart

// attentive gives up a remote that falls silent in the middle of an answer; its transport
// does so where an answer does not begin.
type attentive struct {
	http.RoundTripper
	idle time.Duration
}

func (a *attentive) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	res, err := a.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	alarm := time.AfterFunc(a.idle, func() { cancel(errIdle) })
	if res.StatusCode == http.StatusForbidden && res.Header.Get("Retry-After") != "" {
		res.StatusCode = http.StatusTooManyRequests // what some hosts mean by it
	}
	res.Body = &watchedBody{ReadCloser: res.Body, idle: a.idle, alarm: alarm, ctx: ctx, cancel: cancel}
	return res, nil
}

type watchedBody struct {
	io.ReadCloser
	idle   time.Duration
	alarm  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (w *watchedBody) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	switch {
	case err == io.EOF:
		w.alarm.Stop()
	case err != nil && errors.Is(context.Cause(w.ctx), errIdle):
		err = errIdle
	case err == nil:
		w.alarm.Reset(w.idle)
	}
	return n, err
}

func (w *watchedBody) Close() error {
	w.alarm.Stop()
	err := w.ReadCloser.Close()
	w.cancel(nil)
	return err
}
