package model_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

const key = "sk-very-secret-0123456789"

// A testServer is an HTTP server that gives the answers of a test, byte for byte.
type testServer struct {
	*httptest.Server
	answers []http.HandlerFunc // one per request; the last one is repeated
	http    *http.Client       // the client that reaches it; nil: a client for TCP

	mu     sync.Mutex
	bodies []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *testServer {
	e := unstarted(answers)
	e.Start()
	t.Cleanup(e.Close)
	return e
}

// inBubble runs a test with synctest's clock, against an endpoint whose connections are pipes. Time passes
// only while all goroutines wait, so a busy machine cannot make an endpoint silent.
func inBubble(t *testing.T, test func(t *testing.T, e *testServer), answers ...http.HandlerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := unstarted(answers)
		require.NoError(t, e.Listener.Close())
		pipes := newPipeListener()
		e.Listener = pipes
		e.Start()
		t.Cleanup(e.Close)
		transport := &http.Transport{DialContext: pipes.dial}
		t.Cleanup(transport.CloseIdleConnections)
		e.http = &http.Client{Transport: transport}
		test(t, e)
	})
}

func unstarted(answers []http.HandlerFunc) *testServer {
	e := &testServer{answers: answers}
	e.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		n := len(e.bodies)
		e.bodies = append(e.bodies, string(body))
		e.mu.Unlock()
		e.answers[min(n, len(e.answers)-1)](w, r)
	}))
	return e
}

// A pipeListener accepts the server ends of the pipes that dial makes.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepted <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

func (p *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "endpoint", Net: "pipe"} }

func (t *testServer) asked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.bodies...)
}

func (t *testServer) client(change ...func(*model.Config)) *model.Client {
	cfg := model.Config{
		BaseURL:     t.URL + "/v1",
		Key:         key,
		HTTP:        t.http,
		Retry:       model.Retry{Wait: time.Millisecond, MaxWait: 5 * time.Second},
		IdleTimeout: time.Minute,
	}
	for _, f := range change {
		f(&cfg)
	}
	return model.New(cfg)
}

// stream returns a handler that sends the lines unchanged, each followed by an empty line.
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
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":%q,`+
		`"type":"function","function":{"name":%q,"arguments":%q}}]}}]}`, index, id, name, args)
}

func finish(reason string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

const (
	usage = `data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100,` +
		`"prompt_tokens_details":{"cached_tokens":800},"completion_tokens_details":{"reasoning_tokens":60}}}`
	done = `data: [DONE]`
)

var good = stream(text("all "), text("good"), finish("stop"), usage, done)

func ask() model.Request {
	return model.Request{
		Model:    "m",
		System:   "be brief",
		Messages: []model.Message{{Role: model.User, Text: "hello"}},
	}
}

func failure(t *testing.T, err error) *endpoint.Error {
	t.Helper()
	var e *endpoint.Error
	require.ErrorAs(t, err, &e)
	require.NotContains(t, err.Error(), key)
	return e
}
