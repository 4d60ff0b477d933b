package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

const key = "sk-very-secret-0123456789"

// An endpoint is a real server whose answers a test writes by hand, byte for byte.
type endpoint struct {
	*httptest.Server
	answers []http.HandlerFunc // one a request; the last one stays

	mu     sync.Mutex
	bodies []string
}

func serve(t *testing.T, answers ...http.HandlerFunc) *endpoint {
	e := &endpoint{answers: answers}
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

func (e *endpoint) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.bodies...)
}

func (e *endpoint) client(change ...func(*model.Config)) *model.Client {
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

func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var e *model.Error
	require.ErrorAs(t, err, &e)
	require.NotContains(t, err.Error(), key)
	return e
}

func TestAskStreamsAWholeAnswer(t *testing.T) {
	t.Parallel()
	e := serve(t, stream(text("Looking "), text("around"), call(0, "a", "search", `{"pat`), call(1, "b", "check", ""), call(0, "", "", `tern":"x"}`),
		finish("tool_calls"), usage, done))
	c := e.client(func(c *model.Config) {
		c.Prices = map[string]model.Price{"m": {Input: 2, Output: 10, Cached: 0.5}}
	})
	r := ask()
	var heard []string
	r.OnText = func(delta string) { heard = append(heard, delta) }
	got, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, []string{"Looking ", "around"}, heard)
	require.InDelta(t, (200*2+800*0.5+100*10)/1e6, got.Usage.USD, 1e-12)
	got.Usage.USD = 0
	require.Equal(t, model.Response{
		Model: "m", Finish: "tool_calls",
		Message: model.Message{Role: model.Assistant, Text: "Looking around", Calls: []model.Call{
			{ID: "a", Name: "search", Args: json.RawMessage(`{"pattern":"x"}`)},
			{ID: "b", Name: "check", Args: json.RawMessage(`{}`)},
		}},
		Usage: model.Usage{Input: 1000, Cached: 800, Output: 100, Reasoning: 60},
	}, got)
}

func TestAskSendsWhatWasMeant(t *testing.T) {
	t.Parallel()
	e := serve(t, good)
	r := model.Request{
		Model: "openai/gpt-5-mini", Effort: "high", System: "sys", MaxTokens: 99, CacheKey: "session-1",
		Tools: []model.Tool{echo[readFile]("read_file")},
		Messages: []model.Message{
			{Role: model.User, Text: "why <b>?", From: "U1"},
			{Role: model.Assistant, Calls: []model.Call{{ID: "a", Name: "check", Args: json.RawMessage(`"{\"cut"`)}, {ID: "b", Name: "check"}}},
			{Role: model.User, Text: "also this"},
			{Role: model.ToolRole, CallID: "a", Text: " "},
			{Role: model.ToolRole, CallID: "gone", Text: "orphan"},
			{Role: model.Assistant},
		},
	}
	_, err := e.client().Ask(t.Context(), r)
	require.NoError(t, err)
	_, err = e.client().Ask(t.Context(), r)
	require.NoError(t, err)
	asked := e.asked()
	require.Equal(t, asked[0], asked[1], "the same request is the same bytes")
	require.True(t, strings.HasPrefix(asked[0], `{"prompt_cache_key":"session-1","model":`), "the order of the fields stays: %s", asked[0])
	require.Contains(t, asked[0], `"properties":{"path":`, "the schema's order stays")
	require.JSONEq(t, `{
		"prompt_cache_key": "session-1", "model": "openai/gpt-5-mini", "stream": true, "stream_options": {"include_usage": true},
		"reasoning_effort": "high", "max_completion_tokens": 99,
		"tools": [{"type":"function","function":{"name":"read_file","description":"says what it was given","parameters":`+string(r.Tools[0].Schema)+`}}],
		"messages": [
			{"role":"system","content":"sys"},
			{"role":"user","content":"why <b>?"},
			{"role":"assistant","tool_calls":[
				{"id":"a","type":"function","function":{"name":"check","arguments":"{\"not_a_json_object\":\"{\\\"cut\"}"}},
				{"id":"b","type":"function","function":{"name":"check","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"(no output)"},
			{"role":"tool","tool_call_id":"b","content":"(no result: the work was interrupted before this call ended; call again if it is still needed)"},
			{"role":"user","content":"also this"},
			{"role":"assistant","content":"(no text)"}
		]}`, asked[0])

	plain := ask()
	plain.MaxTokens = 7
	_, err = e.client().Ask(t.Context(), plain)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":7,
		"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}]}`, e.asked()[2])
}

func TestAskTakesEveryServersStreams(t *testing.T) {
	t.Parallel()
	two := []model.Call{{ID: "a", Name: "x", Args: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "y", Args: json.RawMessage(`{"n":2}`)}}
	noIndex := func(id, name, args string) string {
		return strings.Replace(call(0, id, name, args), `"index":0,"id"`, `"id"`, 1)
	}
	for name, c := range map[string]struct {
		lines []string
		want  []model.Call
	}{
		"no index":                {[]string{noIndex("a", "x", `{"n"`), noIndex("", "", `:1}`), noIndex("b", "y", `{"n":2}`), finish("tool_calls"), done}, two},
		"always index 0":          {[]string{call(0, "a", "x", `{"n":1}`), call(0, "b", "y", `{"n":2}`), finish("tool_calls"), done}, two},
		"name and id repeated":    {[]string{call(0, "a", "x", `{"n"`), call(0, "a", "x", `:1}`), call(1, "b", "y", `{"n":2}`), finish("tool_calls"), done}, two},
		"finish says stop":        {[]string{call(0, "a", "x", `{"n":1}`), call(1, "b", "y", `{"n":2}`), finish("stop"), done}, two},
		"no DONE":                 {[]string{call(0, "a", "x", `{"n":1}`), call(1, "b", "y", `{"n":2}`), finish("tool_calls")}, two},
		"id used before, renamed": {[]string{call(0, "old", "x", "{}"), call(1, "old", "y", "{}"), call(2, "", "z", "{}"), finish("tool_calls"), done}, []model.Call{{ID: "old_2", Name: "x", Args: json.RawMessage("{}")}, {ID: "old_3", Name: "y", Args: json.RawMessage("{}")}, {ID: "call", Name: "z", Args: json.RawMessage("{}")}}},
		"malformed arguments":     {[]string{call(0, "a", "x", `{"n": oops`), finish("tool_calls"), done}, []model.Call{{ID: "a", Name: "x", Args: json.RawMessage(`"{\"n\": oops"`)}}},
		"not an object":           {[]string{call(0, "a", "x", `[1]`), finish("tool_calls"), done}, []model.Call{{ID: "a", Name: "x", Args: json.RawMessage(`[1]`)}}},
		"events and comments":     {[]string{": hi", "event: message\nid: 7", call(0, "a", "x", `{"n":1}`), "retry: 3", call(1, "b", "y", `{"n":2}`), finish("tool_calls"), done}, two},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask()
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "old", Name: "check"}}})
			got, err := serve(t, stream(c.lines...)).client().Ask(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, "tool_calls", got.Finish)
			require.Equal(t, c.want, got.Message.Calls)
			require.True(t, got.Usage.Estimated)
			require.Positive(t, got.Usage.Input)
			_, err = json.Marshal(got.Message)
			require.NoError(t, err, "a transcript can hold it")
		})
	}
}

func TestAskReturnsNoCallOfAnAnswerThatWasCutShort(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"length", "content_filter"} {
		e := serve(t, stream(text("so"), call(0, "a", "write_file", `{"path":"x"}`), finish(reason), usage, done))
		got, err := e.client().Ask(t.Context(), ask())
		require.NoError(t, err)
		require.Equal(t, reason, got.Finish)
		require.Equal(t, model.Message{Role: model.Assistant, Text: "so"}, got.Message)
	}
}

func TestAskReportsARefusal(t *testing.T) {
	t.Parallel()
	e := serve(t, stream(`data: {"choices":[{"delta":{"refusal":"I will not"}}]}`, finish("stop"), done))
	got, err := e.client().Ask(t.Context(), ask())
	require.NoError(t, err)
	require.Equal(t, "refusal", got.Finish)
	require.Equal(t, "I will not", got.Message.Text)
}

// Whatever happens to a stream before its finish reason, nothing of it is left.
func TestAskThrowsBrokenAnswersAway(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]http.HandlerFunc{
		"cut in the text":          cut(stream(text("half"))),
		"cut in a call":            cut(stream(call(0, "a", "write_file", `{"path":"x","content":"hal`))),
		"cut in a line":            cut(stream(text("half"), `data: {"choices":[{"delta":{"con`)),
		"ended in a line":          stream(text("half"), `data: {"choices":[{"delta":{"con`),
		"no finish reason":         stream(text("half"), done),
		"no finish reason, call":   stream(call(0, "a", "check", `{}`), done),
		"nothing at all":           stream(),
		"closed before an answer":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"error as data":            stream(text("half"), `data: {"error":{"message":"overloaded","type":"server_error"}}`),
		"error behind comments":    stream(": ping", ": ping", `data: {"error":{"message":"overloaded","code":503}}`),
		"error of OpenRouter":      stream(text("half"), `data: {"id":"1","error":{"code":502,"message":"provider gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`),
		"error of vLLM":            stream(text("half"), `data: {"object":"error","message":"engine died","type":"InternalServerError","code":500}`),
		"finish reason error":      stream(text("half"), finish("error"), done),
		"call without a name":      stream(call(0, "a", "", `{}`), finish("tool_calls"), done),
		"chunk that is no JSON":    stream(text("half"), "data: oops", done),
		"200 with an error":        status(200, `{"error":{"message":"try later","code":503}}`),
		"200 with a whole answer":  status(200, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`),
		"500":                      status(500, `{"error":{"message":"sorry"}}`),
		"502 with a page":          status(502, "<html>bad gateway</html>", "Content-Type", "text/html"),
		"503 with an empty body":   status(503, ""),
		"529":                      status(529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`),
		"429 without a time":       status(429, `{"error":{"message":"slow down"}}`),
		"429 with text for a body": status(429, "slow down"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, broken, good)
			r := ask()
			var reasons []string
			r.OnRetry = func(reason string, _ time.Duration) { reasons = append(reasons, reason) }
			got, err := e.client().Ask(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, "all good", got.Message.Text)
			require.Empty(t, got.Message.Calls)
			require.Len(t, reasons, 1)
			require.NotEmpty(t, reasons[0])
			require.Len(t, e.asked(), 2)

			always := serve(t, broken)
			_, err = always.client(func(c *model.Config) { c.Retry.Tries = 3 }).Ask(t.Context(), ask())
			require.Contains(t, []model.Kind{model.KindBadAnswer, model.KindUnreachable, model.KindQuota}, failure(t, err).Kind)
			require.Len(t, always.asked(), 3, "tries are bounded")
		})
	}
}

func TestAskDoesNotRepeatWhatCannotChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   model.Kind
		words  string
	}{
		"401":                 {status(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), model.KindAuth, "check OPENAI_API_KEY"},
		"401, masked key":     {status(401, `{"error":{"message":"bad key sk-very-*****6789"}}`), model.KindAuth, "bad key [key]"},
		"403":                 {status(403, `forbidden`), model.KindAuth, "forbidden (HTTP 403)"},
		"a login page":        {status(200, "<!DOCTYPE html><title>Sign in</title>", "Content-Type", "text/html; charset=utf-8"), model.KindAuth, "OPENAI_BASE_URL"},
		"a page as a stream":  {stream("<html><body>Sign in"), model.KindAuth, "OPENAI_BASE_URL"},
		"404 page":            {status(404, "<html>", "Content-Type", "text/html"), model.KindAuth, "OPENAI_BASE_URL"},
		"redirect":            {status(302, "", "Location", "https://login.example/x"), model.KindRefused, "redirects to https://login.example/x"},
		"no such model":       {status(404, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`), model.KindRefused, "check the model's name"},
		"content":             {status(400, `{"error":{"message":"flagged","code":"content_policy_violation"}}`), model.KindRefused, "flagged"},
		"overflow, OpenAI":    {status(400, `{"error":{"message":"This model's maximum context length is 128000 tokens","code":"context_length_exceeded"}}`), model.KindOverflow, "shortened"},
		"overflow, llama.cpp": {status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), model.KindOverflow, "shortened"},
		"overflow, streamed":  {stream(`data: {"error":{"message":"prompt is too long: 210000 tokens"}}`), model.KindOverflow, "shortened"},
		"quota":               {status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`), model.KindQuota, "fallback"},
		"credits":             {status(402, `{"error":{"message":"Insufficient credits","code":402}}`), model.KindQuota, "fallback"},
		"an hour":             {status(429, `{"error":"rate limited"}`, "Retry-After", "3600"), model.KindQuota, "asks to wait 1h0m0s"},
		"plain string":        {status(400, `{"error":"bad thing"}`), model.KindRefused, "bad thing (HTTP 400)"},
		"detail":              {status(422, `{"detail":[{"loc":["body"],"msg":"wrong"}]}`), model.KindRefused, "wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			e := serve(t, c.answer)
			client := e.client(func(cfg *model.Config) { cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})) })
			_, err := client.Ask(t.Context(), ask())
			failed := failure(t, err)
			require.Equal(t, c.kind, failed.Kind, err)
			require.Contains(t, err.Error(), c.words)
			require.Len(t, e.asked(), 1)
			require.NotContains(t, log.String(), key)
			require.NotContains(t, fmt.Sprintf("%+v %v", failed, errors.Unwrap(failed)), key)
			require.NotContains(t, err.Error(), "6789")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAskWaitsAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{
		"seconds":      {"Retry-After", "0.2"},
		"milliseconds": {"Retry-After-Ms", "200", "Retry-After", "60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, status(429, `{"error":{"message":"slow down"}}`, header...), good)
			r := ask()
			var waits []time.Duration
			r.OnRetry = func(_ string, wait time.Duration) { waits = append(waits, wait) }
			began := time.Now()
			_, err := e.client().Ask(t.Context(), r)
			require.NoError(t, err)
			require.Len(t, waits, 1)
			require.GreaterOrEqual(t, waits[0], 200*time.Millisecond)
			require.Less(t, waits[0], 250*time.Millisecond)
			require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
		})
	}
}

func TestAskFallsBackAtOnceOnQuota(t *testing.T) {
	t.Parallel()
	empty := status(429, `{"error":{"type":"insufficient_quota","message":"You exceeded your current quota"}}`, "Retry-After", "30")
	first, second := serve(t, empty), serve(t, empty, good)
	c := first.client(func(c *model.Config) {
		c.Fallback = map[string][]string{"m": {"n", "o"}}
		c.Endpoints = map[string]model.Endpoint{"o": {BaseURL: second.URL + "/v1", Key: "other-secret"}, "n": {BaseURL: second.URL + "/v1"}}
		c.Prices = map[string]model.Price{"o": {Input: 1000, Output: 0}}
	})
	r := ask()
	var reasons []string
	r.OnRetry = func(reason string, _ time.Duration) { reasons = append(reasons, reason) }
	got, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, "o", got.Model)
	require.InDelta(t, 1.0, got.Usage.USD, 1e-9)
	require.Equal(t, []string{"m: You exceeded your current quota; asking n instead", "n: You exceeded your current quota; asking o instead"}, reasons)
	require.Len(t, first.asked(), 1)

	nobody := serve(t, empty)
	_, err = nobody.client(func(c *model.Config) { c.Fallback = map[string][]string{"m": {"n"}} }).Ask(t.Context(), ask())
	require.Equal(t, "n", failure(t, err).Model)
	require.Len(t, nobody.asked(), 2)
}

func TestAskGoesOnWithoutFieldsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	refuse := func(words string) http.HandlerFunc {
		return status(400, fmt.Sprintf(`{"error":{"message":%q}}`, words))
	}
	e := serve(t, refuse("Unsupported parameter: 'max_tokens', use 'max_completion_tokens' instead"), refuse("extra fields not permitted: prompt_cache_key"),
		refuse("Unknown field stream_options"), refuse("reasoning_effort is not supported by this model"), good)
	c := e.client()
	r := ask()
	r.MaxTokens, r.CacheKey, r.Effort = 5, "k", "low"
	_, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), r)
	require.NoError(t, err)
	asked := e.asked()
	require.Len(t, asked, 6, "what was learnt is kept")
	require.Equal(t, asked[4], asked[5])
	require.JSONEq(t, `{"model":"m","stream":true,"max_completion_tokens":5,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}]}`, asked[5])

	stubborn := serve(t, refuse("Unsupported parameter: stream_options"))
	_, err = stubborn.client().Ask(t.Context(), ask())
	require.Equal(t, model.KindRefused, failure(t, err).Kind)
	require.Len(t, stubborn.asked(), 2)
}

func TestAskToleratesKeepAlives(t *testing.T) {
	t.Parallel()
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = ": OPENROUTER PROCESSING"
	}
	got, err := serve(t, stream(append(lines, text("all good"), finish("stop"), done)...)).client().Ask(t.Context(), ask())
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
		tick := time.NewTicker(10 * time.Millisecond)
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
			e := serve(t, h)
			_, err := e.client(func(c *model.Config) { c.IdleTimeout, c.Retry.Tries = 100*time.Millisecond, 2 }).Ask(t.Context(), ask())
			failed := failure(t, err)
			require.Equal(t, model.KindBadAnswer, failed.Kind)
			require.Contains(t, failed.Text, "went silent")
			require.Len(t, e.asked(), 2)
		})
	}
	t.Run("slow is not silent", func(t *testing.T) {
		t.Parallel()
		slow := func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				stream(text("."))(w, r)
				<-time.After(40 * time.Millisecond)
			}
			stream(finish("stop"), done)(w, r)
		}
		got, err := serve(t, slow).client(func(c *model.Config) { c.IdleTimeout = 300 * time.Millisecond }).Ask(t.Context(), ask())
		require.NoError(t, err)
		require.Equal(t, "..........", got.Message.Text)
	})
	t.Run("after the finish reason", func(t *testing.T) {
		t.Parallel()
		got, err := serve(t, silent(text("all good"), finish("stop"))).client(func(c *model.Config) { c.IdleTimeout = 200 * time.Millisecond }).Ask(t.Context(), ask())
		require.NoError(t, err)
		require.Equal(t, "all good", got.Message.Text)
	})
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
			require.Equal(t, model.KindBadAnswer, failed.Kind)
			require.Contains(t, failed.Text, "larger than any model's")
			require.Len(t, e.asked(), 1)
		})
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("somebody said stop")
	reached, gone := make(chan struct{}), make(chan struct{})
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(text("half"))(w, r)
		close(reached)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-reached; cancel(stopped) }()
	_, err := e.client().Ask(ctx, ask())
	require.ErrorIs(t, err, stopped)
	<-gone
	require.Len(t, e.asked(), 1)

	waiting := serve(t, status(429, `{}`, "Retry-After", "4"))
	ctx, cancel = context.WithCancelCause(t.Context())
	r := ask()
	r.OnRetry = func(string, time.Duration) { cancel(stopped) }
	began := time.Now()
	_, err = waiting.client().Ask(ctx, r)
	require.ErrorIs(t, err, stopped)
	require.Less(t, time.Since(began), 2*time.Second)
}

func TestAskSaysWhenNobodyIsThere(t *testing.T) {
	t.Parallel()
	e := serve(t, good)
	e.Close()
	_, err := e.client(func(c *model.Config) { c.Retry.Tries = 2 }).Ask(t.Context(), ask())
	failed := failure(t, err)
	require.Equal(t, model.KindUnreachable, failed.Kind)
	require.Contains(t, err.Error(), "connection refused")

	for _, odd := range []string{"not a url", "ftp://x/v1", "http:///v1"} {
		began := time.Now()
		_, err = model.New(model.Config{BaseURL: odd, Key: key}).Ask(t.Context(), ask())
		require.Error(t, err)
		require.NotContains(t, err.Error(), key)
		require.Contains(t, err.Error(), "OPENAI_BASE_URL")
		require.Less(t, time.Since(began), time.Second, "no tries for %s", odd)
	}
}

func TestAskNeedsTheOtherAPIForToolsWithGPT6(t *testing.T) {
	t.Parallel()
	r := ask()
	r.Model, r.Tools = "gpt-6-sol", []model.Tool{echo[readFile]("read_file")}
	e := serve(t, good)
	_, err := e.client().Ask(t.Context(), r)
	failed := failure(t, err)
	require.Equal(t, model.KindRefused, failed.Kind)
	require.Contains(t, failed.Hint, "chat completions")
	r.Effort = "none"
	_, err = e.client().Ask(t.Context(), r)
	require.NoError(t, err)
}

func TestClientIsForManyGoroutines(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%3 == 0 {
			status(400, `{"error":{"message":"unknown field stream_options"}}`)(w, r)
			return
		}
		good(w, r)
	})
	c := e.client()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { _, _ = c.Ask(context.Background(), ask()) })
	}
	wg.Wait()
}
