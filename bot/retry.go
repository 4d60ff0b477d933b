package bot

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"
)

// startPatience is how long a start waits for a Slack that has trouble of its own.
const startPatience = time.Minute

// callAtStart makes a call of the start, again while Slack has trouble of its own. What
// somebody has to mend, and an address at which nobody answers, is returned at once.
func (s *Slack) callAtStart(ctx context.Context, call func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 200*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := s.Call(ctx, call)
		var status slack.StatusCodeError
		troubled := errors.As(err, &status) && status.Code >= http.StatusInternalServerError || slices.Contains(transientCodes, ErrorCode(err))
		if err != nil && !troubled {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(startPatience), backoff.WithNotify(func(err error, wait time.Duration) {
		s.cfg.Log.Warn("Slack has trouble of its own; trying again", "err", err, "wait", wait)
	}))
	return err
}

// Call makes a call, and makes it again after Retry-After as often as Slack limits the rate.
func (s *Slack) Call(ctx context.Context, call func() error) error {
	for {
		err := call()
		var limited *slack.RateLimitedError
		if !errors.As(err, &limited) {
			return err
		}
		s.cfg.Log.Info("Slack asks to wait", "for", limited.RetryAfter)
		if err := Pause(ctx, max(limited.RetryAfter, time.Second/10)); err != nil {
			return err
		}
	}
}

// NoteUpdate remembers for how long Slack takes no chat.update, whoever's call it answered
// so. Cards leave what there is to answered messages, which stand among the lines.
func (s *Slack) NoteUpdate(err error) {
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		s.updatesFrom.Store(time.Now().Add(limited.RetryAfter).UnixNano())
	}
}

// MayUpdate reports whether Slack takes a chat.update now, as far as is known.
func (s *Slack) MayUpdate() bool { return time.Now().UnixNano() >= s.updatesFrom.Load() }

// Pause waits, or returns early with ctx's error: at once when ctx would end before.
func Pause(ctx context.Context, d time.Duration) error {
	if end, ends := ctx.Deadline(); ends && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryUntil calls try until it succeeds, at least once and not beyond until, with waits
// that begin at first and double. It stops at once at an error of [backoff.Permanent], at
// the end of ctx, and where the next try would come too late; then it returns the last error.
func RetryUntil(ctx context.Context, until time.Time, first time.Duration, try func() error) error {
	growing := &backoff.ExponentialBackOff{InitialInterval: first, Multiplier: 2, MaxInterval: time.Minute}
	growing.Reset()
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		last = try()
		return struct{}{}, last
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(max(time.Until(until), 1)))
	if err != nil && last != nil {
		var permanent *backoff.PermanentError
		if errors.As(last, &permanent) {
			return permanent.Err
		}
		return last
	}
	return err
}
