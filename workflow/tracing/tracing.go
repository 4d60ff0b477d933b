// Package tracing marks what the bot does as spans of a trace, from an event of Slack to the turn,
// the models, tools and checks in it, the push and the reply.
//
// Nothing here knows where traces go. A span is begun beneath the span of its context, by whoever
// made that one (package traces of cmd/bobbin begins them); where there is none, nothing is done.
// A job of the queue carries the trace on in its metadata, so that a turn, and what is posted,
// belong to the event that they follow from, on whatever replica.
//
// Spans have names and values of the program and of the configuration alone: no words of people or
// models, no code, no paths, no secrets.
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

// Scope is the name under which the bot's own spans are known.
const Scope = "github.com/bobbinhq/bobbin"

// A Span is something that takes time.
type Span struct{ span trace.Span }

// Start begins a span beneath the one of ctx. labels are names and values in turn.
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

// Do does something in a span of its own.
func Do(ctx context.Context, name string, do func(context.Context) error) error {
	ctx, span := Start(ctx, name)
	err := do(ctx)
	span.End(err)
	return err
}

// Of is the span of ctx.
func Of(ctx context.Context) Span { return Span{trace.SpanFromContext(ctx)} }

// Label adds a word of the program or of the configuration.
func (s Span) Label(name, value string) {
	s.span.SetAttributes(attribute.String("bobbin."+name, value))
}

// Count adds a number.
func (s Span) Count(name string, n int) { s.span.SetAttributes(attribute.Int("bobbin."+name, n)) }

// End ends the span, with labels as Start takes them where there was no error. What an error says is not told: it may be somebody's words.
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

// Quiet is ctx without its span: for what is done again and again, and tells nobody anything.
func Quiet(ctx context.Context) context.Context { return trace.ContextWithSpan(ctx, nil) }

// The field of a job's metadata that carries the trace, in the form of the W3C.
const carried = "traceparent"

// AddTo adds the trace of ctx to the metadata of a job, a JSON object.
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

// From is ctx beneath the trace that a job's metadata carries, where there is one.
func From(ctx context.Context, metadata []byte) context.Context {
	var fields struct {
		Parent string `json:"traceparent"`
	}
	if json.Unmarshal(metadata, &fields) != nil {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{carried: fields.Parent})
}

// A Provider has spans made by whoever made the one above them; libraries that are instrumented
// take it.
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
func (t tracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(t.name, t.options...).Start(ctx, name, options...)
}
