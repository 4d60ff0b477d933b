package model_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// overflowAnswers are what endpoints answer to a conversation that is too long, and the window that each
// names.
var overflowAnswers = map[string]struct {
	status int
	body   string
	window int
}{
	"OpenAI": {
		400,
		`{"error":{"message":"This model's maximum context length is 128000 tokens. However, your ` +
			`messages resulted in 130001 tokens. Please reduce the length of the messages.",` +
			`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		128000,
	},
	"OpenAI, no figure": {
		400,
		`{"error":{"message":"Your input exceeds the context window of this model. Please adjust your ` +
			`input and try again.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		0,
	},
	"OpenAI, a minute's": {
		429,
		`{"error":{"message":"Request too large for gpt-5 in organization org-x on tokens per min ` +
			`(TPM): Limit 30000, Requested 31234. The input or output tokens must be reduced in order ` +
			`to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`,
		30000,
	},
	"Azure": {
		400,
		`{"error":{"message":"This model's maximum context length is 16385 tokens, however you ` +
			`requested 17000 tokens (16000 in your prompt; 1000 for the completion).",` +
			`"type":"invalid_request_error","code":"context_length_exceeded"}}`,
		16385,
	},
	"OpenRouter": {
		400,
		`{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you ` +
			`requested about 140000 tokens (139000 of text input, 1000 in the output).","code":400}}`,
		131072,
	},
	"vLLM": {
		400,
		`{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you ` +
			`requested 9000 tokens in the messages.","type":"BadRequestError","param":null,"code":400}`,
		8192,
	},
	"vLLM, newer": {
		400,
		`{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length ` +
			`of 8192. Make sure that ` + "`max_model_len`" +
			` is no smaller than the number of text tokens.","type":"BadRequestError","code":400}}`,
		8192,
	},
	"llama.cpp": {
		400,
		`{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size ` +
			`(8192 tokens), try increasing it","type":"exceed_context_size_error",` +
			`"n_prompt_tokens":9000,"n_ctx":8192}}`,
		8192,
	},
	"Anthropic": {
		400,
		`{"type":"error","error":{"type":"invalid_request_error",` +
			`"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
		200000,
	},
	"Anthropic, with the answer": {
		400,
		`{"error":{"type":"invalid_request_error","message":"input length and ` +
			"`max_tokens`" + ` exceed context limit: 188240 + 21333 > 200000, decrease input length"}}`,
		200000,
	},
	"Gemini": {
		400,
		`[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number ` +
			`of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
		1048576,
	},
	"LiteLLM": {
		400,
		`{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: This ` +
			`model's maximum context length is 8,192 tokens.","type":null,"param":null,"code":"400"}}`,
		8192,
	},
	"Groq": {
		413,
		`{"error":{"message":"Request too large for model in organization on tokens per minute (TPM): ` +
			`Limit 6000, Requested 7000, please reduce your message size and try again.",` +
			`"type":"tokens","code":"rate_limit_exceeded"}}`,
		6000,
	},
	"nginx before a model": {
		413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body></body></html>",
		0,
	},
	"no model reads that little": {
		400,
		`{"error":{"message":"This model's maximum context length is 3 tokens",` +
			`"code":"context_length_exceeded"}}`,
		0,
	},
}

// Endpoints say in many forms that a conversation is too long, and how many tokens the model reads.
func TestEndpointsSayHowMuchAModelReads(t *testing.T) {
	t.Parallel()
	for name, c := range overflowAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := serve(t, status(c.status, c.body))
			client := e.client()
			require.Zero(t, client.Window("m"))
			_, err := client.Ask(t.Context(), ask())
			require.Equal(t, endpoint.KindOverflow, failure(t, err).Kind, err)
			require.Len(t, e.asked(), 1, "it is not tried again as it is")
			require.Equal(t, c.window, client.Window(ask().Model))
			require.Zero(t, client.Window("another"))
			mistaken := e.client(func(cfg *model.Config) { cfg.Windows = map[string]int{"m": 2 << 20} })
			require.Equal(t, 2<<20, mistaken.Window("m"))
			_, err = mistaken.Ask(t.Context(), ask())
			require.Error(t, err)
			if c.window > 0 {
				require.Equal(t, c.window, mistaken.Window("m"), "an endpoint that takes less knows better")
			}
		})
	}
}

// Answers that end at the same size, whatever they answered, end where the window does. Those that end at the
// limit of an answer have another size each time.
func TestAnswersThatEndAtTheWindowShowHowMuchAModelReads(t *testing.T) {
	t.Parallel()
	limit := func(input, output int) http.HandlerFunc {
		return stream(text("so"), finish("length"),
			fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
				input, output), done)
	}
	whole := stream(text("so"), finish("stop"),
		`data: {"choices":[],"usage":{"prompt_tokens":7200,"completion_tokens":992}}`, done)
	for name, c := range map[string]struct {
		answers    []http.HandlerFunc
		configured int
		want       int
	}{
		"at the window's end":         {[]http.HandlerFunc{limit(7000, 1192), limit(7100, 1092)}, 0, 8192},
		"at the answer's limit":       {[]http.HandlerFunc{limit(7000, 1192), limit(7100, 1192)}, 0, 0},
		"the same request twice":      {[]http.HandlerFunc{limit(7000, 1192), limit(7000, 1192)}, 0, 0},
		"one of them is whole":        {[]http.HandlerFunc{limit(7000, 1192), whole}, 0, 0},
		"whoever configured it knows": {[]http.HandlerFunc{limit(7000, 1192), limit(7100, 1092)}, 9000, 9000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, c.answers...).client(func(cfg *model.Config) {
				cfg.Windows = map[string]int{"m": c.configured}
			})
			for range c.answers {
				_, err := client.Ask(t.Context(), ask())
				require.NoError(t, err)
			}
			require.Equal(t, c.want, client.Window("m"))
		})
	}
}
