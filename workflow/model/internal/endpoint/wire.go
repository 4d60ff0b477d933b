package endpoint

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// A Request is one request for a streamed answer. It is go-openai's, with the fields that we send, in the
// order in which we send them: endpoints cache the beginning of a request. It adds prompt_cache_key and
// extra_content, which go-openai does not know.
type Request struct {
	CacheKey        string                `json:"prompt_cache_key,omitempty"`
	Model           string                `json:"model"`
	Messages        []Message             `json:"messages"`
	Stream          bool                  `json:"stream"`
	Tools           []openai.Tool         `json:"tools,omitempty"`
	StreamOptions   *openai.StreamOptions `json:"stream_options,omitempty"`
	ReasoningEffort string                `json:"reasoning_effort,omitempty"`
}

// A Message is one message of a request.
type Message struct {
	Role       string     `json:"role"`
	Content    any        `json:"content,omitempty"` // a string, or a []openai.ChatMessagePart; nil: none
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// A ToolCall is go-openai's, with data that the endpoint has to get back with it. Gemini signs its thoughts
// there, and refuses a conversation whose calls come back without the signature
// (https://ai.google.dev/gemini-api/docs/thought-signatures).
type ToolCall struct {
	Extra json.RawMessage `json:"extra_content,omitempty"`
	openai.ToolCall
}

// A Chunk is a piece of a streamed answer. It is go-openai's, with the data of its calls.
type Chunk struct {
	openai.ChatCompletionStreamResponse
	Choices []Choice `json:"choices"`

	Error json.RawMessage `json:"error"` // in place of the rest
}

// A Choice is the part of a chunk that belongs to one of several answers.
type Choice struct {
	openai.ChatCompletionStreamChoice
	Delta Delta `json:"delta"`
}

// A Delta is what a chunk adds to an answer.
type Delta struct {
	openai.ChatCompletionStreamChoiceDelta
	ToolCalls []ToolCall `json:"tool_calls"`
}

// refusal returns the error of go-openai for a request that OpenAI's chat completions are known to refuse.
func (r Request) refusal() error {
	return openai.NewReasoningValidator().Validate(openai.ChatCompletionRequest{
		Model: r.Model, Tools: r.Tools, ReasoningEffort: r.ReasoningEffort,
	})
}
