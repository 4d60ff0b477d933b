package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// said is a transport that always returns the same response.
type said struct {
	status int
	kind   string
	body   string
}

func (s said) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: s.status,
		Header:     http.Header{"Content-Type": {s.kind}},
		Body:       io.NopCloser(strings.NewReader(s.body)),
		Request:    r,
		ProtoMajor: 1,
		ProtoMinor: 1,
	}, nil
}

const fuzzKey = "very-secret-0123456789-abcdefgh" // keyLike does not match it

func fuzzAsk(s said) (Response, error) {
	c := New(Config{
		BaseURL: "http://model.invalid/v1",
		Key:     fuzzKey,
		HTTP:    &http.Client{Transport: s},
		Retry:   Retry{Tries: 1},
	})
	return c.Ask(context.Background(), Request{
		Model: "m",
		Messages: []Message{
			{Role: User, Text: "hello"},
			{Role: Assistant, Calls: []Call{{ID: "taken", Name: "check"}}},
			{Role: ToolRole, CallID: "taken", Text: "x"},
		},
	})
}

// FuzzStream checks that any stream results in a whole answer or in an error of one line. A call that may be
// run has a name and an id of its own.
func FuzzStream(f *testing.F) {
	chunk := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
	}
	call := func(id, args string) string {
		return chunk(`{"tool_calls":[{"index":0,"id":"` + id +
			`","type":"function","function":{"name":"check","arguments":"` + args + `"}}]}`)
	}
	const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	const calls = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
	const done = "data: [DONE]\n\n"
	for _, seed := range []string{
		chunk(`{"content":"all good"}`) + stop + done, chunk(`{"content":"half"}`),
		call("a", `{}`) + calls + done, call("a", `{\"a`) + calls + done,
		call("taken", `{}`) + calls + done, call("a", `[1]`) + calls + done,
		call("", `{}`) + call("", `{}`) + calls + done, chunk(`{"content":"x"}`) +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}` + "\n\n" + done,
		": ping\n\n" + chunk(`{"refusal":"no"}`) + stop + done,
		`data: {"error":{"message":"no ` + fuzzKey + `","code":503}}` + "\n\n",
		`data: {"error":{"message":"` + strings.Repeat("a", 285) + fuzzKey + `"}}` + "\n\n",
		"data:\n\ndata: null\n\n",
		"<html>", `{"error"`, "\x00\xff", `data: {"choices":[{"index":7}]}` + "\n\n" + stop + done,
		call("a", `{}`) + stop + done,
		chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function",`+
			`"extra_content":{"google":{"thought_signature":"YQ=="}},"function":{"name":"check",`+
			`"arguments":"{}"}}]}`) + calls + done,
		chunk(`{"tool_calls":[{"index":0,"extra_content":[1],"function":{"name":"check"}}]}`) +
			chunk(`{"tool_calls":[{"extra_content":{}}]}`) + calls + done,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := fuzzAsk(said{200, "text/event-stream", string(body)})
		if err != nil {
			inOneLine(t, string(body), err)
			return
		}
		require.NotEmpty(t, got.Finish)
		require.True(t, got.Finish == "tool_calls" || len(got.Message.Calls) == 0,
			"calls with the end %q", got.Finish)
		seen := map[string]bool{"taken": true}
		for _, c := range got.Message.Calls {
			require.NotEmpty(t, c.Name)
			require.NotEmpty(t, c.ID)
			require.False(t, seen[c.ID] && c.Refused == "", "two calls %q", c.ID)
			seen[c.ID] = true
			if c.Refused == "" {
				_, err := json.Marshal(c)
				require.True(t, err == nil || !json.Valid(c.Args), "%q", c.Args)
			}
		}
	})
}

// inOneLine requires that err is an *endpoint.Error in one line, without the key and without control
// characters.
func inOneLine(t *testing.T, body string, err error) {
	t.Helper()
	var e *endpoint.Error
	if !errors.As(err, &e) {
		t.Fatalf("not of ours: %v", err)
	}
	require.NotEmpty(t, e.Kind)
	require.NotContains(t, e.Error(), fuzzKey)
	if part := fuzzKey[:12]; strings.Count(body, part) == strings.Count(body, fuzzKey) {
		require.NotContains(t, e.Error(), part, "nor a part of it, where words were cut")
	}
	require.NotContains(t, e.Error(), "\n")
	require.False(t, strings.ContainsFunc(e.Error(), unicode.IsControl), "%q", e.Error())
	require.LessOrEqual(t, len(e.Error()), 2000)
}

// FuzzRefusal checks that any refusal of an endpoint results in an error of one line.
func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"Incorrect API key provided: ` + fuzzKey + `","code":"invalid_api_key"}}`,
		`{"error":"plain"}`, `{"message":"a\nb\u001b[31m"}`, `{"detail":[{"msg":"x"}]}`,
		`<html>no</html>`, `[]`, `{"error":{"message":{"deep":1},"code":429}}`, "\xff", `"text"`,
		strings.Repeat("a", 5000), strings.Repeat("a", 285) + fuzzKey,
	} {
		f.Add(401, "application/json", seed)
		f.Add(503, "text/plain", seed)
		f.Add(200, "application/json", seed)
	}
	f.Add(429, "application/json", `[{"error":{"code":429,"message":"You exceeded your current `+
		`quota.\nPlease retry in 17.3s.","details":[{"retryDelay":"1h2m3.4.5s"}]}}]`)
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		if status < 200 || status > 999 || kind == "text/event-stream" {
			return
		}
		_, err := fuzzAsk(said{status, kind, body})
		if status == 200 && err == nil {
			return // a stream under another name
		}
		require.Error(t, err)
		inOneLine(t, body, err)
	})
}
