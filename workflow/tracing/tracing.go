// Package tracing records what the bot does as spans of a trace: the event from Slack, the turn, the
// models, tools and checks in it, the push and the reply.
//
// This package does not know where traces are sent. A span is started by the tracer provider of its parent
// span in the context (package traces of cmd/bobbin starts the first one); without a parent span nothing is
// recorded. A job of the queue carries the trace in its metadata, so that a turn and its posts belong to
// the trace of the event that caused them, on whichever replica they run.
//
// Spans have only names and values of the program and its configuration: no words of people or models, no
// code, no paths, no secrets.
package tracing

import (
	"context"
	"encoding/json"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
)

// Scope is the instrumentation scope of the bot's own spans.
const Scope = "github.com/bobbinhq/bobbin"

// A Span is one timed operation of a trace.
type Span struct{ span trace.Span }

// Start starts a span as a child of the span in ctx. labels are alternating names and values.
func Start(ctx context.Context, name string, labels ...string) (context.Context, Span) {
	ctx, span := Provider{}.Tracer(Scope).Start(ctx, name)
	Span{span}.label(labels)
	return ctx, Span{span}
}

func (s Span) label(labels []string) {
	for i := 0; i+1 < len(labels); i += 2 {
		s.Label(labels[i], labels[i+1])
	}
}

// Do runs do in a new span and ends the span with its error.
func Do(ctx context.Context, name string, do func(context.Context) error) error {
	ctx, span := Start(ctx, name)
	err := do(ctx)
	span.End(err)
	return err
}

// Of returns the span of ctx.
func Of(ctx context.Context) Span { return Span{trace.SpanFromContext(ctx)} }

// Label adds an attribute with a value of the program or its configuration.
func (s Span) Label(name, value string) {
	s.span.SetAttributes(attribute.String("bobbin."+name, value))
}

// Count adds an attribute with a number.
func (s Span) Count(name string, n int) { s.span.SetAttributes(attribute.Int("bobbin."+name, n)) }

// End ends the span. Without an error it adds labels as Start does. The text of an error is not recorded,
// because it may contain words of people.
func (s Span) End(err error, labels ...string) {
	switch {
	case errors.Is(err, context.Canceled):
		s.Label("outcome", "cancelled")
	case err != nil:
		s.span.SetStatus(codes.Error, "")
	default:
		s.label(labels)
	}
	s.span.End()
}

// Quiet returns ctx without its span, for work that is repeated all the time and is not worth recording.
func Quiet(ctx context.Context) context.Context { return trace.ContextWithSpan(ctx, nil) }

// carried is the field of a job's metadata that holds the trace, in the W3C Trace Context format.
const carried = "traceparent"

// AddTo adds the trace of ctx to the metadata of a job, a JSON object. It returns the metadata unchanged if
// there is no trace or the metadata is not valid.
func AddTo(ctx context.Context, metadata []byte) []byte {
	parent := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, parent)
	if parent[carried] == "" {
		return metadata
	}
	fields := map[string]json.RawMessage{}
	if len(metadata) > 0 && json.Unmarshal(metadata, &fields) != nil {
		return metadata
	}
	fields[carried], _ = json.Marshal(parent[carried])
	all, err := json.Marshal(fields)
	if err != nil {
		return metadata
	}
	return all
}

// From returns ctx with the trace that a job's metadata carries as the parent, or ctx itself if there is
// none.
func From(ctx context.Context, metadata []byte) context.Context {
	var fields struct {
		Parent string `json:"traceparent"`
	}
	if json.Unmarshal(metadata, &fields) != nil {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{carried: fields.Parent})
}

// A Provider creates spans with the tracer provider of the parent span. Instrumented libraries use it.
type Provider struct{ embedded.TracerProvider }

// Tracer implements trace.TracerProvider.
func (Provider) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return tracer{name: name, options: options}
}

type tracer struct {
	embedded.Tracer
	name    string
	options []trace.TracerOption
}

// Start implements trace.Tracer.
func (t tracer) Start(
	ctx context.Context, name string, options ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(t.name,
		t.options...).Start(ctx, name, options...)
}
