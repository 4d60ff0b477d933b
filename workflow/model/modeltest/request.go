package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A request is a chat completion request as it arrived.
type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Effort   string    `json:"reasoning_effort"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`

	prompt string // tools and messages in the order in which a prompt cache reads them
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`

	text     string
	toolName string // of a tool result: the tool that was called
}

func readRequest(body []byte) (*request, error) {
	r := &request{}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	called := map[string]string{}
	var prompt strings.Builder
	tools, _ := json.Marshal(r.Tools)
	prompt.Write(tools)
	for i := range r.Messages {
		m := &r.Messages[i]
		m.text = textOf(m.Content)
		m.toolName = called[m.ToolCallID]
		for _, c := range m.ToolCalls {
			called[c.ID] = c.Function.Name
		}
		bytes, _ := json.Marshal(m)
		prompt.WriteByte(0)
		prompt.Write(bytes)
	}
	r.prompt = prompt.String()
	return r, nil
}

// textOf returns the text of content, which is a string or a list of parts. A picture becomes "[picture
// data:image/png;base64,…, 123 bytes]".
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
		if kind, data, ok := strings.Cut(p.Image.URL, ","); ok {
			picture, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				return ""
			}
			texts[i] = fmt.Sprintf("[picture %s,…, %d bytes]", kind, len(picture))
		}
	}
	return strings.Join(texts, "\n")
}

// fresh returns the index of the first message after the last answer.
func (r *request) fresh() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "assistant" {
			return i + 1
		}
	}
	return 0
}

// given reports whether the conversation already contains an answer.
func (r *request) given(p preparedAnswer) bool {
	return slices.ContainsFunc(r.Messages, func(m message) bool {
		if m.Role != "assistant" || len(p.calls) == 0 {
			return m.Role == "assistant" && p.text != "" && m.text == p.text
		}
		return len(m.ToolCalls) > 0 && m.ToolCalls[0].ID == p.calls[0].ID
	})
}

func (r *request) toolNames() []string {
	list := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		list[i] = t.Function.Name
	}
	slices.Sort(list)
	return list
}
