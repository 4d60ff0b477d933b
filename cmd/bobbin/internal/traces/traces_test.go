package traces

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// TestWhatIsSentIsHeldToAList checks that only names and what is on the list are sent of a library's spans.
func TestWhatIsSentIsHeldToAList(t *testing.T) {
	t.Parallel()
	got := make(chan []byte, 10)
	taker := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- body
	}))
	defer taker.Close()
	var log strings.Builder
	open, err := Open(t.Context(), Destination{URL: taker.URL}, "r1",
		slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	ctx, event := open.Begin(t.Context(), "slack event", "reply")
	_, span := open.Provider().Tracer("a library").Start(ctx, "SELECT",
		trace.WithLinks(trace.LinkFromContext(ctx, attribute.String("a", "canary link"))))
	span.SetAttributes(attribute.String("db.query.text", "canary statement"),
		attribute.String("url.full", "https://x/canary"), attribute.StringSlice("tag", []string{"canary"}),
		attribute.String("kind", "turn"))
	span.RecordError(errors.New("canary error"))
	span.SetStatus(codes.Error, "canary status")
	span.AddEvent("canary event")
	span.End()

	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Empty(t, r.Header.Get("Traceparent"), "a service is not told of the trace")
	}))
	defer plain.Close()
	client := http.Client{Transport: open.Transport("model",
		func(*http.Request) string { return "completions" }, plain.Client().Transport)}
	for _, from := range []*http.Request{
		request(t, plain.URL+"/canary?q=canary"), request(t, plain.URL).WithContext(ctx),
	} {
		answer, err := client.Do(from)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, answer.Body)
		require.NoError(t, answer.Body.Close())
	}
	event.End(nil)
	open.Close()
	var sent collectorpb.ExportTraceServiceRequest
	require.NoError(t, proto.Unmarshal(<-got, &sent))
	require.NotContains(t, sent.String(), "canary")
	spans := map[string]string{}
	for _, scope := range sent.ResourceSpans[0].ScopeSpans {
		for _, s := range scope.Spans {
			spans[s.Name] = string(s.TraceId)
		}
	}
	require.Len(t, spans, 3, "a request of no trace begins none")
	require.Equal(t, spans["slack event"], spans["model completions"])
	require.Equal(t, spans["slack event"], spans["SELECT"])
	require.Empty(t, log.String())
}

func request(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	return r
}

// TestNobodyTakesThem checks that there are no Traces without an endpoint, and that an endpoint that does
// not answer delays nothing.
func TestNobodyTakesThem(t *testing.T) {
	t.Parallel()
	none, err := Open(t.Context(), Destination{}, "r1", nil)
	require.NoError(t, err)
	require.Nil(t, none)
	ctx, span := none.Begin(t.Context(), "slack event", "reply")
	require.Equal(t, t.Context(), ctx)
	span.End(nil)
	require.Equal(t, http.DefaultTransport, none.Transport("model", nil, http.DefaultTransport))
	require.Equal(t, "{}", string(tracing.AddTo(ctx, []byte("{}"))))
	none.Close()

	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer refusing.Close()
	var log strings.Builder
	open, err := Open(t.Context(), Destination{URL: refusing.URL}, "r1",
		slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	_, span = open.Begin(t.Context(), "slack event", "reply")
	span.End(nil)
	open.Close()
	require.Equal(t, 1, strings.Count(log.String(), "traces cannot be sent; what is not sent is lost"))
	require.ErrorContains(t, Check(t.Context(), Destination{URL: refusing.URL}), "HTTP 403")
}

func TestTheEnvironmentSaysWhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want Destination
		err  string
	}{
		"nothing": {},
		"an endpoint": {
			env:  map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/"},
			want: Destination{URL: "http://collector:4318/v1/traces", Headers: map[string]string{}},
		},
		"of traces": {
			env: map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT":        "http://no",
				"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/otlp",
				"OTEL_EXPORTER_OTLP_HEADERS":         "api-key=a%20b, x=y=z",
			},
			want: Destination{
				URL:     "https://c/otlp",
				Headers: map[string]string{"api-key": "a b", "x": "y=z"},
			},
		},
		"turned off": {env: map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
			"OTEL_TRACES_EXPORTER":        "none",
		}},
		"disabled": {env: map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
			"OTEL_SDK_DISABLED":           "True",
		}},
		"no address": {
			env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"},
			err: "environment: OTEL_EXPORTER_OTLP_ENDPOINT has to be an address such as " +
				"http://collector:4318, without a user in it",
		},
		"a password": {
			env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://me:s3cr3t@c/"},
			err: "environment: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has to be an address such as " +
				"http://collector:4318, without a user in it",
		},
		"another form": {
			env: map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317",
				"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
			},
			err: `environment: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; http/protobuf alone is spoken`,
		},
		"a lone secret": {
			env: map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c",
				"OTEL_EXPORTER_OTLP_HEADERS":  "s3cr3t",
			},
			err: "environment: OTEL_EXPORTER_OTLP_HEADERS has to be name=value,name=value, " +
				"values escaped as in an address",
		},
	} {
		got, err := FromEnvironment(func(key string) string { return c.env[key] })
		if c.err != "" {
			require.EqualError(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}
