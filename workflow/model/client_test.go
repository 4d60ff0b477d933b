package model_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

func TestAskStreamsAWholeAnswer(t *testing.T) {
	t.Parallel()
	e := serve(t, stream(text("Looking "), text("around"), call(0, "a", "search", `{"pat`),
		call(1, "b", "check", ""), call(0, "", "", `tern":"x"}`),
		finish("tool_calls"), usage, done))
	c := e.client(func(c *model.Config) {
		c.Prices = map[string]model.Price{"m": {Input: 2, Output: 10, Cached: 0.5}}
	})
	r := ask()
	got, err := c.Ask(t.Context(), r)
	require.NoError(t, err)
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
		Model: "openai/gpt-5-mini", Effort: "high", System: "sys", CacheKey: "session-1",
		Tools: []model.Tool{echo[readFile]("read_file")},
		Messages: []model.Message{
			{Role: model.User, Text: "why <b>?", From: "U1"},
			{
				Role: model.Assistant,
				Calls: []model.Call{
					{ID: "a", Name: "check", Args: json.RawMessage(`"{\"cut"`)},
					{ID: "b", Name: "check"},
				},
			},
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
	require.True(t, strings.HasPrefix(asked[0], `{"prompt_cache_key":"session-1","model":`),
		"the order of the fields stays: %s", asked[0])
	require.Contains(t, asked[0], `"properties":{"path":`, "the schema's order stays")
	require.JSONEq(t, `{
		"prompt_cache_key": "session-1", "model": "openai/gpt-5-mini", "stream": true,
		"stream_options": {"include_usage": true},
		"reasoning_effort": "high",
		"tools": [{"type":"function","function":{"name":"read_file","description":"says what it was given",
			"parameters":`+
		string(r.Tools[0].Schema)+`}}],
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

	_, err = e.client().Ask(t.Context(), ask())
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","stream":true,"stream_options":{"include_usage":true},
		"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}]}`, e.asked()[2])
}

// A name that a model made up goes back to the endpoint in the form that it takes.
func TestANameThatNoEndpointTakes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"multi_tool_use.parallel": "multi_tool_use_parallel",
		"read-file2":              "read-file2",
		"lis \xffé":               "lis___",
		strings.Repeat("x", 70):   strings.Repeat("x", 64),
	} {
		e := serve(t, good)
		r := ask()
		r.Messages = append(r.Messages, model.Message{
			Role:  model.Assistant,
			Calls: []model.Call{{ID: "a", Name: name}},
		})
		_, err := e.client().Ask(t.Context(), r)
		require.NoError(t, err)
		require.Contains(t, e.asked()[0], `"function":{"name":"`+want+`","arguments":"{}"}`)
	}
}

// twoCalls are what most of the callStreams hold.
var twoCalls = []model.Call{
	{ID: "a", Name: "x", Args: json.RawMessage(`{"n":1}`)},
	{ID: "b", Name: "y", Args: json.RawMessage(`{"n":2}`)},
}

// noIndex returns a piece of a call as a server streams it that does not count its calls.
func noIndex(id, name, args string) string {
	return strings.Replace(call(0, id, name, args), `"index":0,"id"`, `"id"`, 1)
}

// callStreams are answers with tool calls as different servers stream them, and the calls that they hold.
var callStreams = map[string]struct {
	lines []string
	want  []model.Call
}{
	"no index": {
		[]string{
			noIndex("a", "x", `{"n"`), noIndex("", "", `:1}`), noIndex("b", "y", `{"n":2}`),
			finish("tool_calls"), done,
		},
		twoCalls,
	},
	"always index 0": {
		[]string{call(0, "a", "x", `{"n":1}`), call(0, "b", "y", `{"n":2}`), finish("tool_calls"), done},
		twoCalls,
	},
	"name and id repeated": {
		[]string{
			call(0, "a", "x", `{"n"`), call(0, "a", "x", `:1}`), call(1, "b", "y", `{"n":2}`),
			finish("tool_calls"), done,
		},
		twoCalls,
	},
	"finish says stop": {
		[]string{call(0, "a", "x", `{"n":1}`), call(1, "b", "y", `{"n":2}`), finish("stop"), done},
		twoCalls,
	},
	"no DONE": {
		[]string{call(0, "a", "x", `{"n":1}`), call(1, "b", "y", `{"n":2}`), finish("tool_calls")},
		twoCalls,
	},
	"id used before, renamed": {
		[]string{
			call(0, "old", "x", "{}"), call(1, "new", "y", "{}"), call(2, "", "z", "{}"),
			finish("tool_calls"), done,
		},
		[]model.Call{
			{ID: "old_2", Name: "x", Args: json.RawMessage("{}")},
			{ID: "new", Name: "y", Args: json.RawMessage("{}")},
			{ID: "call", Name: "z", Args: json.RawMessage("{}")},
		},
	},
	"id twice, both refused": {
		[]string{call(0, "a", "x", "{}"), call(1, "a", "y", "{}"), finish("tool_calls"), done},
		[]model.Call{
			{
				ID:   "a",
				Name: "x",
				Args: json.RawMessage("{}"),
				Refused: "Not run: this answer holds 2 calls with the id a. Call again, " +
					"each under an id of its own.",
			},
			{
				ID:   "a_2",
				Name: "y",
				Args: json.RawMessage("{}"),
				Refused: "Not run: this answer holds 2 calls with the id a. Call again, " +
					"each under an id of its own.",
			},
		},
	},
	"malformed arguments": {
		[]string{call(0, "a", "x", `{"n": oops`), finish("tool_calls"), done},
		[]model.Call{{ID: "a", Name: "x", Args: json.RawMessage(`"{\"n\": oops"`)}},
	},
	"not an object": {
		[]string{call(0, "a", "x", `[1]`), finish("tool_calls"), done},
		[]model.Call{{ID: "a", Name: "x", Args: json.RawMessage(`[1]`)}},
	},
	"events and comments": {
		[]string{
			": hi", "event: message\nid: 7", call(0, "a", "x", `{"n":1}`), "retry: 3",
			call(1, "b", "y", `{"n":2}`), finish("tool_calls"), done,
		},
		twoCalls,
	},
}

func TestAskTakesEveryServersStreams(t *testing.T) {
	t.Parallel()
	for name, c := range callStreams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask()
			r.Messages = append(r.Messages, model.Message{
				Role:  model.Assistant,
				Calls: []model.Call{{ID: "old", Name: "check"}},
			})
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
		e := serve(t,
			stream(text("so"), call(0, "a", "write_file", `{"path":"x"}`), finish(reason), usage, done))
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

func TestAskNeedsTheOtherAPIForToolsWithGPT6(t *testing.T) {
	t.Parallel()
	r := ask()
	r.Model = "gpt-6-sol"
	r.Tools = []model.Tool{echo[readFile]("read_file")}
	e := serve(t, good)
	_, err := e.client().Ask(t.Context(), r)
	failed := failure(t, err)
	require.Equal(t, endpoint.KindRefused, failed.Kind)
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
