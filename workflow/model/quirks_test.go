package model_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// quirks are streams as well-known endpoints send them for the same tool call, check with {"fast":true}. Each
// comment says how an endpoint differs.
var quirks = map[string][]string{
	// The first chunk has no choices; filter results accompany each delta.
	"Azure": {
		`data: {"choices":[],"created":0,"id":"","model":"","object":"",` +
			`"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,` +
			`"severity":"safe"}}}]}`,
		`data: {"choices":[{"content_filter_results":{},"delta":{"content":null,"refusal":null,` +
			`"role":"assistant","tool_calls":[{"function":{"arguments":"","name":"check"},"id":"call_A1",` +
			`"index":0,"type":"function"}]},"finish_reason":null,"index":0,"logprobs":null}],` +
			`"id":"chatcmpl-1","model":"gpt-5","object":"chat.completion.chunk","usage":null}`,
		`data: {"choices":[{"content_filter_results":{},` +
			`"delta":{"tool_calls":[{"function":{"arguments":"{\"fast\":"},"index":0}]},` +
			`"finish_reason":null,"index":0}],"usage":null}`,
		`data: {"choices":[{"content_filter_results":{},` +
			`"delta":{"tool_calls":[{"function":{"arguments":"true}"},"index":0}]},"finish_reason":null,` +
			`"index":0}],"usage":null}`,
		`data: {"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"tool_calls",` +
			`"index":0}],"usage":null}`,
		`data: {"choices":[],"usage":{"completion_tokens":20,"prompt_tokens":100,` +
			`"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":40},"total_tokens":120}}`,
		`data: [DONE]`,
	},
	// Comments keep the connection alive; thoughts have their own field; usage includes a cost.
	"OpenRouter": {
		`: OPENROUTER PROCESSING`, `: OPENROUTER PROCESSING`,
		`data: {"id":"gen-1","provider":"Z","model":"z/glm","object":"chat.completion.chunk",` +
			`"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Let me check.",` +
			`"reasoning_details":[{"type":"reasoning.text","text":"Let me check."}]},"finish_reason":null,` +
			`"native_finish_reason":null}]}`,
		`data: {"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":null,` +
			`"tool_calls":[{"index":0,"id":"call_A1","type":"function","function":{"name":"check",` +
			`"arguments":"{\"fast\":true}"}}]},"finish_reason":"tool_calls",` +
			`"native_finish_reason":"tool_use"}]}`,
		`data: {"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},` +
			`"finish_reason":null,"native_finish_reason":null}],"usage":{"prompt_tokens":100,` +
			`"completion_tokens":20,"total_tokens":120,"cost":0.0014,"is_byok":false,` +
			`"prompt_tokens_details":{"cached_tokens":40}}}`,
		`data: [DONE]`,
	},
	// The name comes first, then the arguments in pieces without id; there is a stop_reason beside
	// finish_reason.
	"vLLM": {
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
			`"delta":{"role":"assistant","content":"","reasoning_content":null},"logprobs":null,` +
			`"finish_reason":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_A1",` +
			`"type":"function","index":0,"function":{"name":"check"}}]},"finish_reason":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"function":{"arguments":"{\"fast\": "}}]},"finish_reason":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"function":{"arguments":"true}"}}]},"finish_reason":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":""},"logprobs":null,` +
			`"finish_reason":"tool_calls","stop_reason":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":100,"total_tokens":120,` +
			`"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":40}}}`,
		`data: [DONE]`,
	},
	// The call arrives whole, and the finish reason may be stop nevertheless; no cached tokens.
	"Ollama": {
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"qwen3",` +
			`"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant",` +
			`"content":"","tool_calls":[{"id":"call_A1","index":0,"type":"function",` +
			`"function":{"name":"check","arguments":"{\"fast\":true}"}}]},"finish_reason":null}]}`,
		`data: {"id":"chatcmpl-1","system_fingerprint":"fp_ollama","choices":[{"index":0,` +
			`"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`,
		`data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,` +
			`"total_tokens":120}}`,
		`data: [DONE]`,
	},
	// Fields of other services are present, and null.
	"LiteLLM": {
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,` +
			`"delta":{"provider_specific_fields":null,"refusal":null,"content":null,"role":"assistant",` +
			`"function_call":null,"tool_calls":[{"id":"call_A1","function":{"arguments":"","name":"check"},` +
			`"type":"function","index":0}],"audio":null},"logprobs":null}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":null,"tool_calls":[{"id":null,` +
			`"function":{"arguments":"{\"fast\":true}","name":null},"type":"function","index":0}]}}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"finish_reason":"tool_calls","index":0,` +
			`"delta":{"provider_specific_fields":null,"content":null,"role":null,"function_call":null,` +
			`"tool_calls":null,"audio":null}}]}`,
		`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{}}],"usage":{"completion_tokens":20,` +
			`"prompt_tokens":100,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":40},` +
			`"cache_read_input_tokens":40}}`,
		`data: [DONE]`,
	},
	// Usage is in the last chunk only, without cached tokens.
	"Anthropic": {
		`data: {"id":"msg_01","choices":[{"index":0,"delta":{"content":"","role":"assistant"}}],` +
			`"model":"claude","object":"chat.completion.chunk"}`,
		`data: {"id":"msg_01","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_A1",` +
			`"type":"function","function":{"name":"check","arguments":""}}]}}]}`,
		`data: {"id":"msg_01","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"function":{"arguments":"{\"fast\": true}"}}]}}]}`,
		`data: {"id":"msg_01","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`data: {"id":"msg_01","choices":[],"usage":{"completion_tokens":20,"prompt_tokens":100,` +
			`"total_tokens":120}}`,
		`data: [DONE]`,
	},
	// Each chunk has usage; the call is signed, and has to be sent back with its signature.
	"Gemini": {
		`data: {"choices":[{"delta":{"role":"assistant",` +
			`"tool_calls":[{"extra_content":{"google":{"thought_signature":"c2lnbmVk"}},` +
			`"function":{"arguments":"{\"fast\":true}","name":"check"},"id":"call_A1","type":"function",` +
			`"index":0}]},"finish_reason":"stop","index":0}],"created":1,"id":"x",` +
			`"model":"models/gemini-3","object":"chat.completion.chunk","usage":{"completion_tokens":20,` +
			`"prompt_tokens":100,"total_tokens":120}}`,
		`data: [DONE]`,
	},
}

func TestQuirksOfEndpoints(t *testing.T) {
	t.Parallel()
	for name, lines := range quirks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, stream(lines...))
			got, err := e.client(func(c *model.Config) { c.Retry.Tries = 1 }).Ask(t.Context(), ask())
			require.NoError(t, err)
			require.Len(t, got.Message.Calls, 1)
			call := got.Message.Calls[0]
			require.Equal(t, "call_A1", call.ID)
			require.Equal(t, "check", call.Name)
			require.JSONEq(t, `{"fast":true}`, string(call.Args))
			require.Empty(t, call.Refused)
			require.Equal(t, model.FinishCalls, got.Finish)
			require.Equal(t, 100, got.Usage.Input)
			require.Equal(t, 20, got.Usage.Output)
			require.False(t, got.Usage.Estimated)
		})
	}
}

// Gemini refuses a conversation whose call comes back without its signature. The signature survives the
// transcript, and texts that look like a call stay unchanged.
func TestSignaturesGoBackWithTheirCalls(t *testing.T) {
	t.Parallel()
	e := serve(t, stream(quirks["Gemini"]...), good)
	client := e.client()
	r := ask()
	r.Messages[0].Text = `{"id":"call_A1","type":"function"}`
	first, err := client.Ask(t.Context(), r)
	require.NoError(t, err)
	kept, err := json.Marshal(first.Message)
	require.NoError(t, err)
	var again model.Message
	require.NoError(t, json.Unmarshal(kept, &again))
	r.Messages = append(r.Messages, again, model.Message{Role: model.ToolRole, CallID: "call_A1", Text: "ok"})
	_, err = client.Ask(t.Context(), r)
	require.NoError(t, err)
	var sent struct {
		Messages []struct {
			Content   any
			ToolCalls []struct {
				ID    string
				Extra json.RawMessage `json:"extra_content"`
			} `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(e.asked()[1]), &sent))
	require.Equal(t, `{"id":"call_A1","type":"function"}`, sent.Messages[1].Content)
	require.Equal(t, "call_A1", sent.Messages[2].ToolCalls[0].ID)
	require.JSONEq(t, `{"google":{"thought_signature":"c2lnbmVk"}}`,
		string(sent.Messages[2].ToolCalls[0].Extra))
}

// A conversation may change from Gemini to an endpoint that refuses signatures, and back to Gemini, which
// misses them in the other model's calls.
func TestAConversationChangesBetweenGeminiAndAnotherModel(t *testing.T) {
	t.Parallel()
	gemini := serve(t, status(400,
		`[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall `+
			`parts. This is required for tools to work correctly, and missing thought_signature may lead `+
			`to degraded model performance.","status":"INVALID_ARGUMENT"}}]`), good)
	other := serve(t, status(422, `{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,`+
		`"assistant","tool_calls",0,"extra_content"],"msg":"Extra inputs are not permitted",`+
		`"input":{"google":{"thought_signature":"c2lnbmVk"}}}]}`), good)
	c := other.client(func(c *model.Config) {
		c.Endpoints = map[string]endpoint.Endpoint{"gemini": {BaseURL: gemini.URL + "/v1"}}
	})
	const signed, placeholder = `{"google":{"thought_signature":"c2lnbmVk"}}`,
		`{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	r := ask()
	r.Messages = append(r.Messages, model.Message{
		Role: model.Assistant,
		Calls: []model.Call{
			{ID: "a", Name: "check", Extra: json.RawMessage(signed)},
			{ID: "b", Name: "check"},
		},
	})
	for range 2 {
		_, err := c.Ask(t.Context(), r)
		require.NoError(t, err)
	}
	asked := other.asked()
	require.Len(t, asked, 3, "what was learnt is kept")
	require.Equal(t, map[string]string{"a": signed, "b": ""}, extrasIn(t, asked[0]))
	require.Equal(t, map[string]string{"a": "", "b": ""}, extrasIn(t, asked[1]))
	require.Equal(t, asked[1], asked[2])

	r.Model = "gemini"
	r.Messages = append(r.Messages, model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: "c", Name: "check"}, {ID: "d", Name: "check"}},
	})
	for range 2 {
		_, err := c.Ask(t.Context(), r)
		require.NoError(t, err)
	}
	asked = gemini.asked()
	require.Len(t, asked, 3)
	require.Equal(t, map[string]string{"a": signed, "b": "", "c": "", "d": ""}, extrasIn(t, asked[0]))
	require.Equal(t, map[string]string{"a": signed, "b": "", "c": placeholder, "d": ""},
		extrasIn(t, asked[1]), "Gemini signs the first call of an answer alone")
	require.Equal(t, asked[1], asked[2])
}

// extrasIn returns the extra_content of each call in a request, by the calls' ids.
func extrasIn(t *testing.T, body string) map[string]string {
	t.Helper()
	var sent struct {
		Messages []struct {
			ToolCalls []struct {
				ID    string
				Extra json.RawMessage `json:"extra_content"`
			} `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &sent))
	extras := map[string]string{}
	for _, m := range sent.Messages {
		for _, call := range m.ToolCalls {
			extras[call.ID] = string(call.Extra)
		}
	}
	return extras
}

// A model with its own endpoint is asked there, by that endpoint's name for it and with that endpoint's
// headers. The shared key is not sent there.
func TestAModelHasAnEndpointOfItsOwn(t *testing.T) {
	t.Parallel()
	type seen struct {
		path, auth, apiKey, title, model string
	}
	var got []seen
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		got = append(got, seen{
			r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Api-Key"), r.Header.Get("X-Title"),
			body.Model,
		})
		good(w, r)
	}))
	defer own.Close()
	shared := serve(t, good)
	c := shared.client(func(c *model.Config) {
		c.Endpoints = map[string]endpoint.Endpoint{
			"azure": {
				BaseURL:   own.URL + "/openai/v1",
				Key:       "azure-key",
				KeyHeader: "api-key",
				Model:     "gpt-5-deployment",
			},
			"local": {BaseURL: own.URL + "/v1"},
			"titled": {
				BaseURL: own.URL + "/api/v1",
				Key:     "router-key",
				Headers: map[string]string{"X-Title": "Bobbin"},
			},
		}
	})
	for _, name := range []string{"azure", "local", "titled", "m"} {
		r := ask()
		r.Model = name
		answer, err := c.Ask(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, name, answer.Model, "prices and lines have our name")
	}
	require.Equal(t, []seen{
		{"/openai/v1/chat/completions", "", "azure-key", "", "gpt-5-deployment"},
		{"/v1/chat/completions", "", "", "", "local"},
		{"/api/v1/chat/completions", "Bearer router-key", "", "Bobbin", "titled"},
	}, got)
	require.Len(t, shared.asked(), 1)
}
