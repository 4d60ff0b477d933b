package model_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// If a stream breaks before its finish reason, nothing of it is kept.
func TestAskThrowsBrokenAnswersAway(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]http.HandlerFunc{
		"cut in the text":         cut(stream(text("half"))),
		"cut in a call":           cut(stream(call(0, "a", "write_file", `{"path":"x","content":"hal`))),
		"cut in a line":           cut(stream(text("half"), `data: {"choices":[{"delta":{"con`)),
		"ended in a line":         stream(text("half"), `data: {"choices":[{"delta":{"con`),
		"no finish reason":        stream(text("half"), done),
		"no finish reason, call":  stream(call(0, "a", "check", `{}`), done),
		"nothing at all":          stream(),
		"closed before an answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"error as data": stream(text("half"),
			`data: {"error":{"message":"overloaded","type":"server_error"}}`),
		"error behind comments": stream(": ping", ": ping",
			`data: {"error":{"message":"overloaded","code":503}}`),
		"error of OpenRouter": stream(text("half"), `data: {"id":"1","error":{"code":502,`+
			`"message":"provider gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`),
		"error of vLLM": stream(text("half"),
			`data: {"object":"error","message":"engine died","type":"InternalServerError","code":500}`),
		"finish reason error":   stream(text("half"), finish("error"), done),
		"call without a name":   stream(call(0, "a", "", `{}`), finish("tool_calls"), done),
		"chunk that is no JSON": stream(text("half"), "data: oops", done),
		"200 with an error":     status(200, `{"error":{"message":"try later","code":503}}`),
		"200 with a whole answer": status(200,
			`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`),
		"500":                    status(500, `{"error":{"message":"sorry"}}`),
		"502 with a page":        status(502, "<html>bad gateway</html>", "Content-Type", "text/html"),
		"503 with an empty body": status(503, ""),
		"529": status(529,
			`{"error":{"type":"overloaded_error","message":"Overloaded"}}`),
		"429 without a time":       status(429, `{"error":{"message":"slow down"}}`),
		"429 with text for a body": status(429, "slow down"),
		"429 with a page":          status(429, "<html>slow down</html>", "Content-Type", "text/html"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, broken, good)
			r := ask()
			var reasons []string
			r.OnRetry = func(a model.RetryNotice) { reasons = append(reasons, a.Reason) }
			got, err := e.client().Ask(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, "all good", got.Message.Text)
			require.Empty(t, got.Message.Calls)
			require.Len(t, reasons, 1)
			require.NotEmpty(t, reasons[0])
			require.Len(t, e.asked(), 2)

			always := serve(t, broken)
			_, err = always.client(func(c *model.Config) { c.Retry.Tries = 3 }).Ask(t.Context(), ask())
			require.Contains(t,
				[]endpoint.Kind{endpoint.KindBadAnswer, endpoint.KindUnreachable, endpoint.KindQuota},
				failure(t, err).Kind)
			require.Len(t, always.asked(), 3, "tries are bounded")
		})
	}
}

func TestAskToleratesKeepAlives(t *testing.T) {
	t.Parallel()
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = ": OPENROUTER PROCESSING"
	}
	got, err := serve(t,
		stream(append(lines, text("all good"), finish("stop"), done)...)).client().Ask(t.Context(), ask())
	require.NoError(t, err)
	require.Equal(t, "all good", got.Message.Text)
}

func TestAskGivesUpOnSilence(t *testing.T) {
	t.Parallel()
	silent := func(before ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if len(before) > 0 {
				stream(before...)(w, r)
			}
			<-r.Context().Done()
		}
	}
	commentsOnly := func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for r.Context().Err() == nil {
			stream(": still here")(w, r)
			<-tick.C
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"before the answer": silent(),
		"in the text":       silent(text("half")),
		"comments for ever": commentsOnly,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, e *testServer) {
				_, err := e.client(idle(time.Minute),
					func(c *model.Config) { c.Retry.Tries = 2 }).Ask(t.Context(), ask())
				failed := failure(t, err)
				require.Equal(t, endpoint.KindBadAnswer, failed.Kind)
				require.Contains(t, failed.Text, "went silent")
				require.Len(t, e.asked(), 2)
			}, h)
		})
	}
	t.Run("slow is not silent", func(t *testing.T) {
		t.Parallel()
		slow := func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				stream(text("."))(w, r)
				time.Sleep(59 * time.Second) // synctest's clock: no real time passes
			}
			stream(finish("stop"), done)(w, r)
		}
		inBubble(t, func(t *testing.T, e *testServer) {
			got, err := e.client(idle(time.Minute)).Ask(t.Context(), ask())
			require.NoError(t, err)
			require.Equal(t, "..........", got.Message.Text)
			require.Len(t, e.asked(), 1)
		}, slow)
	})
	t.Run("after the finish reason", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(t *testing.T, e *testServer) {
			got, err := e.client(idle(time.Minute)).Ask(t.Context(), ask())
			require.NoError(t, err)
			require.Equal(t, "all good", got.Message.Text)
			require.Len(t, e.asked(), 1)
		}, silent(text("all good"), finish("stop")))
	})
}

func idle(longest time.Duration) func(*model.Config) {
	return func(c *model.Config) { c.IdleTimeout = longest }
}

func TestAskCapsAnAnswer(t *testing.T) {
	t.Parallel()
	endless := func(line string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for n := 0; n < 100<<20 && r.Context().Err() == nil; n += len(line) {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		}
	}
	big := strings.Repeat("x", 32<<10)
	for name, line := range map[string]string{
		"text":          text(big) + "\n\n",
		"arguments":     call(0, "a", "x", big) + "\n\n",
		"one long line": big,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, endless(line))
			_, err := e.client().Ask(t.Context(), ask())
			failed := failure(t, err)
			require.Equal(t, endpoint.KindBadAnswer, failed.Kind)
			require.Contains(t, failed.Text, "larger than any model's")
			require.Len(t, e.asked(), 1)
		})
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("somebody said stop")
	reached := make(chan struct{})
	gone := make(chan struct{})
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(text("half"))(w, r)
		close(reached)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-reached
		cancel(stopped)
	}()
	_, err := e.client().Ask(ctx, ask())
	require.ErrorIs(t, err, stopped)
	<-gone
	require.Len(t, e.asked(), 1)

	inBubble(t, func(t *testing.T, waiting *testServer) {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := ask()
		r.OnRetry = func(model.RetryNotice) { cancel(stopped) }
		began := time.Now()
		_, err := waiting.client(func(c *model.Config) { c.Retry.MaxWait = time.Minute }).Ask(ctx, r)
		require.ErrorIs(t, err, stopped)
		require.Zero(t, time.Since(began))
	}, status(429, `{}`, "Retry-After", "50"))
}

func TestAskSaysWhenNobodyIsThere(t *testing.T) {
	t.Parallel()
	e := serve(t, good)
	e.Close()
	_, err := e.client(func(c *model.Config) { c.Retry.Tries = 2 }).Ask(t.Context(), ask())
	failed := failure(t, err)
	require.Equal(t, endpoint.KindUnreachable, failed.Kind)
	require.Contains(t, err.Error(), "connection refused")

	for _, odd := range []string{"not a url", "ftp://x/v1", "http:///v1"} {
		r := ask()
		r.OnRetry = func(again model.RetryNotice) { t.Errorf("%s is tried again: %s", odd, again.Reason) }
		_, err = model.New(model.Config{
			BaseURL: odd,
			Key:     key,
			Retry:   model.Retry{Wait: time.Millisecond},
		}).Ask(t.Context(), r)
		require.Error(t, err)
		require.NotContains(t, err.Error(), key)
		require.Contains(t, err.Error(), "OPENAI_BASE_URL")
	}
}

// The control: without the guards of this package, the same streams count as whole answers, or their errors
// are lost.
func TestWithoutTheGuardsBrokenAnswersPass(t *testing.T) {
	t.Parallel()
	read := func(h http.HandlerFunc) (heard string, err error) {
		cfg := openai.DefaultConfig(key)
		cfg.BaseURL = serve(t, h).URL + "/v1"
		s, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(t.Context(),
			openai.ChatCompletionRequest{Model: "m"})
		require.NoError(t, err)
		defer func() { _ = s.Close() }()
		for {
			chunk, err := s.Recv()
			if err != nil {
				return heard, err
			}
			heard += chunk.Choices[0].Delta.Content
		}
	}
	heard, err := read(stream(text("half"), done))
	require.ErrorIs(t, err, io.EOF, "a stream without a finish reason ends like a good one")
	require.Equal(t, "half", heard)
	_, err = read(stream(text("half")))
	require.ErrorIs(t, err, io.EOF, "so does one that just stops")
	_, err = read(stream(": ping", `data: {"error":{"message":"overloaded"}}`))
	require.NotContains(t, err.Error(), "overloaded", "a comment before an error hides it")
	_, err = read(stream(`data: {"error":{"message":"` + key + `"}}`))
	require.ErrorContains(t, err, key, "what an endpoint repeats of the key is shown")
	_, err = read(status(200, "<html>Sign in", "Content-Type", "text/html"))
	require.ErrorIs(t, err, io.EOF, "a login page is an empty answer")
}
