package model

import (
	"bytes"
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// Texts in place of empty ones: endpoints refuse a message without content.
const (
	noOutput = "(no output)"
	noText   = "(no text)"
	noResult = "(no result: the work was interrupted before this call ended; " +
		"call again if it is still needed)"
)

// maxToolName is the length of the longest name of a tool that endpoints take.
const maxToolName = 64

// onWire returns the request in the form of endpoints. It depends on the arguments alone, so that the same
// conversation is always the same bytes.
func onWire(r Request, without map[string]bool, sees bool) endpoint.Request {
	out := endpoint.Request{CacheKey: r.CacheKey, Model: r.Model, Stream: true, ReasoningEffort: r.Effort}
	if without[fieldCache] {
		out.CacheKey = ""
	}
	if !without[fieldUsage] {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if without[fieldEffort] {
		out.ReasoningEffort = ""
	}
	if r.System != "" {
		out.Messages = append(out.Messages, endpoint.Message{Role: string(System), Content: r.System})
	}
	out.Messages = append(out.Messages, messagesOnWire(r.Messages, without, sees)...)
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, openai.Tool{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name: t.Name, Description: t.Description, Parameters: t.Schema,
			},
		})
	}
	return out
}

// unsigned takes the place of a signature in a call that another model made
// (https://ai.google.dev/gemini-api/docs/thought-signatures).
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// extraOf returns the data that the endpoint has to get back with the call, the n-th of its answer. Gemini
// signs only the first call of an answer, and looks for a signature there.
func extraOf(c Call, n int, without map[string]bool) json.RawMessage {
	switch {
	case json.Valid(c.Extra) && !without[fieldExtra]:
		return c.Extra
	case n == 0 && without[fieldSignature]:
		return json.RawMessage(unsigned)
	}
	return nil
}

// messagesOnWire puts each call's result directly after the message with the call, as endpoints demand. A
// call without a result was interrupted, and the model is told so. A result without a call is left out.
func messagesOnWire(messages []Message, without map[string]bool, sees bool) []endpoint.Message {
	results := map[string]Message{}
	for _, m := range messages {
		if m.Role == ToolRole {
			results[m.CallID] = m
		}
	}
	var out []endpoint.Message
	for _, m := range messages {
		if m.Role == ToolRole {
			continue
		}
		out = append(out, messageOnWire(m, without, sees))
		for _, call := range m.Calls {
			result, ok := results[call.ID]
			if !ok {
				result = Message{Text: noResult}
			}
			out = append(out, endpoint.Message{
				Role: string(ToolRole), ToolCallID: call.ID, Content: textOr(result.Text, noOutput),
			})
		}
	}
	return out
}

func messageOnWire(m Message, without map[string]bool, sees bool) endpoint.Message {
	out := endpoint.Message{Role: string(m.Role)}
	for n, call := range m.Calls {
		function := openai.FunctionCall{Name: nameOnWire(call.Name), Arguments: argumentsOnWire(call.Args)}
		out.ToolCalls = append(out.ToolCalls, endpoint.ToolCall{
			Extra:    extraOf(call, n, without),
			ToolCall: openai.ToolCall{ID: call.ID, Type: openai.ToolTypeFunction, Function: function},
		})
	}
	text := m.Text
	if len(out.ToolCalls) == 0 {
		text = textOr(m.Text, noText)
	}
	switch {
	case len(m.Pictures) > 0 && m.Role == User:
		out.Content = withPictures(text, m.Pictures, sees)
	case text != "":
		out.Content = text
	}
	return out
}

func textOr(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// nameOnWire returns a tool's name as every endpoint takes it. A model may call a tool that does
// not exist, such as multi_tool_use.parallel, and with that name in an earlier call an endpoint
// refuses every later request.
func nameOnWire(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return safe[:min(len(safe), maxToolName)]
}

// argumentsOnWire always returns a JSON object. The chat templates of several servers read the arguments of
// earlier calls, and fail the whole conversation over one bad call.
func argumentsOnWire(args json.RawMessage) string {
	args = bytes.TrimSpace(args)
	switch {
	case len(args) == 0:
		return "{}"
	case args[0] == '{' && json.Valid(args):
		return string(args)
	}
	var written string
	if json.Unmarshal(args, &written) != nil {
		written = string(args)
	}
	wrapped, _ := json.Marshal(map[string]string{"not_a_json_object": written})
	return string(wrapped)
}

// argsOf returns what a model wrote as arguments: unchanged if it is JSON, else as a JSON string, so that a
// transcript can hold it and every tool refuses it.
func argsOf(written string) json.RawMessage {
	trimmed := strings.TrimSpace(written)
	if trimmed == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	quoted, _ := json.Marshal(written)
	return quoted
}
