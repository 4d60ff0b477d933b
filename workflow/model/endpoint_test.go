package model_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

const key = "sk-very-secret-0123456789"

// A testServer is a real server whose answers a test writes by hand, byte for byte.
type testServer struct {
	*httptest.Server
	answers []http.HandlerFunc // one a request; the last one stays

	mu     sync.Mutex
	bodies []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *testServer {
	e := &testServer{answers: answers}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		n := len(e.bodies)
		e.bodies = append(e.bodies, string(body))
		e.mu.Unlock()
		e.answers[min(n, len(e.answers)-1)](w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *testServer) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.bodies...)
}

func (e *testServer) client(change ...func(*model.Config)) *model.Client {
	cfg := model.Config{BaseURL: e.URL + "/v1", Key: key, Retry: model.Retry{Wait: time.Millisecond, MaxWait: 5 * time.Second}, IdleTimeout: 10 * time.Second}
	for _, f := range change {
		f(&cfg)
	}
	return model.New(cfg)
}

// stream sends the lines as they are, each with an empty one behind it.
func stream(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			_, _ = fmt.Fprintf(w, "%s\n\n", line)
		}
		_ = http.NewResponseController(w).Flush()
	}
}

func cut(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h(w, r)
		panic(http.ErrAbortHandler)
	}
}

func status(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func text(s string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q}}]}`, s)
}

func call(index int, id, name, args string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}}]}`, index, id, name, args)
}

func finish(reason string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

const (
	usage = `data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":800},"completion_tokens_details":{"reasoning_tokens":60}}}`
	done  = `data: [DONE]`
)

var good = stream(text("all "), text("good"), finish("stop"), usage, done)

func ask() model.Request {
	return model.Request{Model: "m", System: "be brief", Messages: []model.Message{{Role: model.User, Text: "hello"}}}
}

func failure(t *testing.T, err error) *endpoint.Error {
	t.Helper()
	var e *endpoint.Error
	require.ErrorAs(t, err, &e)
	require.NotContains(t, err.Error(), key)
	return e
}
