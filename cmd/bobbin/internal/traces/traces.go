// Package traces sends spans of the bot's work to an OTLP endpoint. It is off unless the environment names
// an endpoint, in the variables that OpenTelemetry defines.
//
// Only what is on a list is sent: the attributes of spans that are named here and those that begin with
// "bobbin.", no events, no links and no error messages. Anything else that a library writes into its spans,
// such as the path of a URL or a statement with a person's words in its error, is dropped.
package traces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// The variables for the destination of traces. The library itself reads OTEL_EXPORTER_OTLP_TIMEOUT,
// _COMPRESSION, _CERTIFICATE, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER and
// OTEL_BSP_….
const (
	endpointEnv       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesEndpointEnv = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
)

// A Destination is where traces are sent; the zero value means nowhere.
type Destination struct {
	URL     string            // whole URL of the endpoint for traces
	Headers map[string]string // sent with each request; usually secret
}

// FromEnvironment returns the destination that the environment names; the zero Destination if traces are
// off.
func FromEnvironment(env func(string) string) (d Destination, err error) {
	off := strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none"
	name := tracesEndpointEnv
	if d.URL = env(name); d.URL == "" {
		name = endpointEnv
		if base := env(name); base != "" {
			d.URL = strings.TrimRight(base, "/") + "/v1/traces"
		}
	}
	if off || d.URL == "" {
		return Destination{}, nil
	}
	if u, err := url.Parse(d.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil {
		return Destination{}, fmt.Errorf("environment: "+
			"%s has to be an address such as http://collector:4318, without a user in it", name)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := env(name); p != "" {
			if p != "http/protobuf" {
				return Destination{},
					fmt.Errorf("environment: %s is %q; http/protobuf alone is spoken", name, p)
			}
			break
		}
	}
	d.Headers, err = readHeaders(cmp.Or(env(secrets.OnlyTraceHeaders), env(secrets.TraceHeaders)))
	return d, err
}

// readHeaders parses headers in the form key=value,key=value, with values escaped as in a URL.
func readHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, found := strings.Cut(part, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || strings.TrimSpace(name) == "" {
			return nil, errors.New("environment: " + secrets.TraceHeaders +
				" has to be name=value,name=value, values escaped as in an address")
		}
		headers[strings.TrimSpace(name)] = plain
	}
	return headers, nil
}

// Traces starts traces and sends them. A nil *Traces does nothing.
type Traces struct{ provider *sdktrace.TracerProvider }

// Open returns the Traces that sends to the destination; nil for the zero Destination.
func Open(ctx context.Context, d Destination, replica string, log *slog.Logger) (*Traces, error) {
	if d.URL == "" {
		return nil, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(d.URL),
		otlptracehttp.WithHeaders(d.Headers))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "bobbin"),
			attribute.String("service.instance.id", replica)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	sending := &sending{SpanExporter: exporter, log: log}
	return &Traces{sdktrace.NewTracerProvider(sdktrace.WithResource(about),
		sdktrace.WithBatcher(sending))}, nil
}

// Begin starts a trace with an event of the given kind. It returns the context that carries the trace, and
// its first span.
func (t *Traces) Begin(ctx context.Context, event, kind string) (context.Context, tracing.Span) {
	if t == nil {
		return ctx, tracing.Of(ctx)
	}
	ctx, _ = t.provider.Tracer(tracing.Scope).Start(ctx, event, trace.WithSpanKind(trace.SpanKindServer))
	span := tracing.Of(ctx)
	span.Label("kind", kind)
	return ctx, span
}

// Provider returns the provider of spans; for a nil *Traces, one that records nothing.
func (t *Traces) Provider() trace.TracerProvider {
	if t == nil {
		return noop.NewTracerProvider()
	}
	return t.provider
}

// Check sends the destination an empty request, and returns why it does not accept traces.
func Check(ctx context.Context, d Destination) error {
	// an empty body is an empty request
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, http.NoBody)
	if err != nil {
		return err
	}
	for name, value := range d.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := http.DefaultClient.Do(r)
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err // without the URL
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("it answers HTTP %d", answer.StatusCode)
	}
	return nil
}

// closeWithin is how long Close may take to send the remaining spans.
const closeWithin = 3 * time.Second

// Close sends the remaining spans and stops sending.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = t.provider.Shutdown(ctx)
}

// Transport returns a transport that makes a span of each request to a service that belongs to a trace. It
// does not send the trace's id to the service.
func (t *Traces) Transport(
	service string, methodOf func(*http.Request) string, next http.RoundTripper,
) http.RoundTripper {
	if t == nil {
		return next
	}
	return otelhttp.NewTransport(next, otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return trace.SpanFromContext(r.Context()).IsRecording()
		}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			return service + " " + methodOf(r)
		}))
}

// sending is an exporter that drops what is not on the list from spans, and logs a warning when sending
// begins to fail.
type sending struct {
	sdktrace.SpanExporter
	log    *slog.Logger
	failed atomic.Bool
}

// ExportSpans implements sdktrace.SpanExporter. It logs the first failure after a success. It returns no
// error, because the library would print it.
func (s *sending) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	bare := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		bare[i] = bareSpan{span}
	}
	err := s.SpanExporter.ExportSpans(ctx, bare)
	if was := s.failed.Swap(err != nil); err != nil && !was {
		s.log.Warn("traces cannot be sent; what is not sent is lost", "err", err)
	}
	return nil
}

// bareSpan is a span with only what is on the list.
type bareSpan struct{ sdktrace.ReadOnlySpan }

// Attributes implements sdktrace.ReadOnlySpan.
func (b bareSpan) Attributes() (kept []attribute.KeyValue) {
	for _, a := range b.ReadOnlySpan.Attributes() {
		if named[a.Key] || strings.HasPrefix(string(a.Key), "bobbin.") {
			kept = append(kept, a)
		}
	}
	return kept
}

// Events implements sdktrace.ReadOnlySpan. It returns none, because events contain error messages.
func (bareSpan) Events() []sdktrace.Event { return nil }

// Links implements sdktrace.ReadOnlySpan.
func (bareSpan) Links() []sdktrace.Link { return nil }

// Status implements sdktrace.ReadOnlySpan.
func (b bareSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: b.ReadOnlySpan.Status().Code}
}

// named holds the attributes of libraries that may be sent. Statements, URLs with their paths, error
// messages and tags are not among them.
var named = map[attribute.Key]bool{
	// net/http
	"http.request.method": true, "http.response.status_code": true, "server.address": true,
	"server.port": true, "error.type": true,
	"http.request.body.size": true, "http.response.body.size": true,
	// River
	"attempt": true, "kind": true, "queue": true, "priority": true, "status": true, "id": true,
	"created_at": true, "scheduled_at": true, "cancel": true, "snooze": true,
	// pgx
	"db.system.name": true, "db.system": true, "db.operation.name": true, "pgx.rows_affected": true,
	"pgx.query.type": true, "pgx.operation.type": true, "db.response.status_code": true,
	"pgx.sql_state": true,
}
