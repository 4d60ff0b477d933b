package bot

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// startTimeout is how long a start retries while Slack fails temporarily.
const startTimeout = time.Minute

// callAtStart makes a call and retries it while Slack fails temporarily. It returns at once if a person has
// to fix the cause. If there is no response at all, it returns at once, too, unless the connection waits.
func (s *Slack) callAtStart(ctx context.Context, call func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = 200 * time.Millisecond
	growing.MaxInterval = 5 * time.Second
	limit := startTimeout
	if s.cfg.Waiting != nil {
		limit = 0 // none
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := s.Call(ctx, call)
		if err != nil && !isTrouble(err) && (s.cfg.Waiting == nil || !isUnreachable(ctx, err)) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(limit),
		backoff.WithNotify(func(err error, wait time.Duration) {
			if s.cfg.Waiting != nil {
				s.cfg.Waiting(err)
				return
			}
			s.cfg.Log.Warn("Slack has trouble of its own; trying again", "err", err, "wait", wait)
		}))
	return err
}

// isTrouble reports whether Slack answers that it cannot do anything at the moment.
func isTrouble(err error) bool {
	var status slack.StatusCodeError
	return errors.As(err, &status) && status.Code >= http.StatusInternalServerError ||
		slices.Contains(transientCodes, ErrorCode(err))
}

// isUnreachable reports whether there was no response. A certificate that is not accepted stays so.
func isUnreachable(ctx context.Context, err error) bool {
	var request *url.Error
	var certificate *tls.CertificateVerificationError
	return ctx.Err() == nil && errors.As(err, &request) && !errors.As(err, &certificate) &&
		plaintext.NetworkError(err) != ""
}

// Call makes a call and repeats it after Retry-After whenever Slack limits the rate.
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

// NoteUpdate takes the result of a chat.update and remembers until when Slack accepts no more of them. Cards
// then wait, so that messages whose buttons were pressed are updated first.
func (s *Slack) NoteUpdate(err error) {
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		s.updatesFrom.Store(time.Now().Add(limited.RetryAfter).UnixNano())
	}
}

// MayUpdate reports whether Slack accepts a chat.update now, as far as is known.
func (s *Slack) MayUpdate() bool { return time.Now().UnixNano() >= s.updatesFrom.Load() }

// Pause waits for d. It returns an error when ctx ends, and at once if the deadline of ctx is
// before the end of the wait.
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

// RetryUntil calls try at least once and until it succeeds, with waits that begin at first and double. It
// stops at an error of [backoff.Permanent], when ctx ends, and when the next try would be later than
// until. It returns the last error.
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
