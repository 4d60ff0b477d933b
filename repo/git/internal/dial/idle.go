package dial

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// idleTimeoutTransport cancels a response with remote.ErrIdle if no byte of its body arrives for idle. The wrapped
// transport limits the time until the response begins.
type idleTimeoutTransport struct {
	http.RoundTripper
	idle time.Duration
}

func (a *idleTimeoutTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	res, err := a.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	alarm := time.AfterFunc(a.idle, func() { cancel(remote.ErrIdle) })
	if res.StatusCode == http.StatusForbidden && res.Header.Get("Retry-After") != "" {
		res.StatusCode = http.StatusTooManyRequests // some hosts send 403 with Retry-After when they mean 429
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
	case err != nil && errors.Is(context.Cause(w.ctx), remote.ErrIdle):
		err = remote.ErrIdle
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
