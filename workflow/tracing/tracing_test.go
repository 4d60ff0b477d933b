package tracing

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A job carries the trace in its metadata, next to its other fields.
func TestAJobGoesOnWithTheTrace(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	ctx, root := provider.Tracer("test").Start(t.Context(), "event")
	metadata := AddTo(ctx, []byte(`{"river:snoozes":2}`))
	require.JSONEq(t, `{"river:snoozes":2,"traceparent":"00-`+root.SpanContext().TraceID().String()+"-"+
		root.SpanContext().SpanID().String()+`-01"}`, string(metadata))

	later, job := provider.Tracer("test").Start(From(t.Context(), metadata), "job")
	_, within := Start(later, "tool run", "outcome", "ok")
	within.Count("tokens", 7)
	within.End(errors.New("what ann wrote"))
	job.End()
	ended := spans.Ended()
	require.Len(t, ended, 2)
	require.Equal(t, "tool run", ended[0].Name())
	require.Equal(t, root.SpanContext().TraceID(), ended[0].SpanContext().TraceID())
	require.Equal(t, root.SpanContext().SpanID(), ended[1].Parent().SpanID())
	require.Equal(t, sdktrace.Status{Code: codes.Error}, ended[0].Status(), "an error's words are not told")
	require.Empty(t, ended[0].Events())

	_, quiet := Start(Quiet(later), "pulse")
	quiet.End(nil)
	require.Len(t, spans.Ended(), 2)
}

// Without a trace nothing is written and nothing is recorded, whatever the metadata is.
func TestNoTrace(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"a":1}`, string(AddTo(t.Context(), []byte(`{"a":1}`))))
	for _, metadata := range []string{
		"", "{}", "[]", `{"traceparent":"forged"}`, `{"traceparent":7}`, "\xff",
	} {
		ctx := From(t.Context(), []byte(metadata))
		require.Equal(t, "{}", string(AddTo(ctx, []byte("{}"))), metadata)
	}
	ctx, span := Start(context.Background(), "model")
	span.Label("agent", "deep")
	span.End(context.Canceled)
	require.False(t, Of(ctx).span.IsRecording())
}
