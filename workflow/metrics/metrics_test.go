package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// scrape returns what Prometheus would read.
func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()
	response, err := http.Get(server.URL + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}

// TestNamesAreGood checks the names and the help of all metrics with Prometheus' own linter.
func TestNamesAreGood(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	m.Job("turn", time.Second, nil)
	m.Asked("deep", time.Second, context.Canceled)
	m.Tool("run", time.Second, model.Result{Failed: true}, nil)
	m.Tool("run", time.Second, model.Result{Wrong: true}, nil)
	m.Tool("run", time.Second, model.Result{}, errors.New("the disk is full"))
	m.Used("deep", "shop", model.Usage{Input: 10, Cached: 4, Output: 3, USD: .5})
	m.Command("memory")
	m.Proof("shop", "holds", time.Minute)
	m.ReadShared(func(context.Context) (metrics.Shared, error) {
		return metrics.Shared{
			Sessions: map[string]int{"done": 2},
			Waits:    map[string]time.Duration{"turn": 1500 * time.Millisecond},
			Due:      map[string]int{"turn": 1},
			Unposted: 3,
		}, nil
	}, slog.New(slog.DiscardHandler))
	text := scrape(t, m)
	for _, line := range []string{
		`bobbin_job_duration_seconds_count{kind="turn",outcome="ok"} 1`,
		`bobbin_model_answer_duration_seconds_count{agent="deep",outcome="cancelled"} 1`,
		`bobbin_tool_duration_seconds_count{outcome="failed",tool="run"} 1`,
		`bobbin_tool_duration_seconds_count{outcome="refused",tool="run"} 1`,
		`bobbin_tool_duration_seconds_count{outcome="error",tool="run"} 1`,
		`bobbin_model_tokens_total{agent="deep",kind="input",repository="shop"} 6`,
		`bobbin_model_tokens_total{agent="deep",kind="cached",repository="shop"} 4`,
		`bobbin_model_cost_usd_total{agent="deep",repository="shop"} 0.5`,
		`bobbin_sandbox_commands_total{end="memory"} 1`,
		`bobbin_proof_duration_seconds_count{outcome="holds",repository="shop"} 1`,
		`bobbin_sessions{phase="done"} 2`, `bobbin_queue_wait_seconds{kind="turn"} 1.5`,
		`bobbin_queue_due{kind="turn"} 1`, `bobbin_outbox_unposted 3`, `bobbin_database_up 1`,
	} {
		require.Contains(t, text, line+"\n")
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// A scrape while the database is unavailable says so, and reports no old values.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	m.ReadShared(func(context.Context) (metrics.Shared, error) {
		return metrics.Shared{Unposted: 3}, errors.New("connection refused")
	}, slog.New(slog.DiscardHandler))
	text := scrape(t, m)
	require.Contains(t, text, "bobbin_database_up 0\n")
	require.NotContains(t, text, "bobbin_outbox_unposted 3")
}

// URLs have ids of people, channels and files in them. None of these
// becomes a label, whatever paths a server or a redirect uses.
func TestLabelsOfRequestsAreBounded(t *testing.T) {
	t.Parallel()
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "chat.update") {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer limited.Close()
	m := metrics.New()
	client := http.Client{Transport: m.Transport("slack", http.DefaultTransport)}
	for _, p := range []string{
		"/api/chat.update", "/files-pri/T1-F123/secret.txt", "/api/U123", "/api/a.b\x00",
		"/api/" + strings.Repeat("a.", 80),
	} {
		request, err := http.NewRequest(http.MethodGet, limited.URL, nil)
		require.NoError(t, err)
		request.URL.Path = p
		response, err := client.Do(request)
		require.NoError(t, err, p)
		require.NoError(t, response.Body.Close())
	}
	limited.Close()
	_, err := client.Get(limited.URL + "/api/chat.update")
	require.Error(t, err)
	text := scrape(t, m)
	require.Contains(t, text,
		`bobbin_http_request_duration_seconds_count{method="chat.update",service="slack",status="429"} 1`)
	require.Contains(t, text,
		`bobbin_http_request_duration_seconds_count{method="chat.update",service="slack",status="error"} 1`)
	require.Contains(t, text,
		`bobbin_http_request_duration_seconds_count{method="other",service="slack",status="200"} 4`)
	require.NotContains(t, text, "F123")
}

// A nil *Metrics counts nothing and does not panic.
func TestNoMetrics(t *testing.T) {
	t.Parallel()
	var m *metrics.Metrics
	m.Job("turn", 0, nil)
	m.Asked("deep", 0, nil)
	m.Tool("run", 0, model.Result{}, nil)
	m.Used("deep", "shop", model.Usage{Input: 1})
	m.Command("ok")
	m.Proof("shop", "holds", 0)
	m.Serve(func(string, http.Handler) { t.Error("served") }, nil, nil)
	require.Equal(t, fmt.Sprintf("%p", http.DefaultTransport),
		fmt.Sprintf("%p", m.Transport("slack", http.DefaultTransport)))
}

// refusing is a RoundTripper that always fails.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

func newRequest(t *testing.T) *http.Request {
	r, err := http.NewRequest(http.MethodGet, "http://slack.example/api/chat.update", nil)
	require.NoError(t, err)
	return r
}
