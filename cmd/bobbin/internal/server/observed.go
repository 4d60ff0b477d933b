package server

import (
	"context"
	"net/http"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
)

// newModel returns the client for the models of the settings.
func (b *Server) newModel(s Settings) *model.Client {
	return model.New(model.Config{
		BaseURL:     s.ModelURL,
		Key:         s.ModelKey,
		Endpoints:   s.Endpoints,
		Log:         b.log,
		Prices:      s.Prices,
		Fallback:    s.Fallback,
		Vision:      s.Vision,
		Windows:     s.Windows,
		Retry:       s.ModelRetry,
		IdleTimeout: s.ModelIdle,
		Answered:    s.Answered,
		HTTP:        &http.Client{Transport: b.observed(s.Metrics, "model")},
	})
}

// observed returns a transport that counts the requests to a service and makes a span of each.
func (b *Server) observed(m *metrics.Metrics, service string) http.RoundTripper {
	return b.traces.Transport(service, metrics.MethodOf, m.Transport(service, http.DefaultTransport))
}

// A tracedInbox begins a trace with each event that it receives.
type tracedInbox struct {
	*inbox.Inbox
	traces *traces.Traces
}

// Receive implements gateway.Inbox. Events that are received together share one trace.
func (t tracedInbox) Receive(ctx context.Context, came ...workflow.IncomingEvent) error {
	ctx, span := t.traces.Begin(ctx, "slack event", string(came[0].Kind))
	err := t.Inbox.Receive(ctx, came...)
	span.End(err)
	return err
}

// Submit implements gateway.Forms.
func (t tracedInbox) Submit(ctx context.Context, in workflow.IncomingEvent) (late string, err error) {
	ctx, span := t.traces.Begin(ctx, "slack event", string(in.Kind))
	late, err = t.Inbox.Submit(ctx, in)
	span.End(err)
	return late, err
}
