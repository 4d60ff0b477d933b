package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/model"
)

const (
	maxResult = 200 << 10 // bytes of one tool's result; the tools' own bounds lie below it
	asBytes   = 4000      // what a picture counts as
	longPart  = 600       // bytes of a result or an argument that stay when a conversation is shortened
)

// ends is a text without its middle, where it is longer than most.
func ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most*2/3, len(text)-most/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", text[:head], tail-head, text[tail:])
}

// shortened is the conversation with the long parts of its first n messages left out:
// results of tools, and what a model wrote as arguments. What people wrote stays.
func shortened(messages []model.Message, n int) []model.Message {
	if n == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages[:min(n, len(messages))] {
		if m.Role == model.ToolRole && len(m.Text) > 2*longPart {
			messages[i].Text = ends(m.Text, longPart) + "\n(program) The conversation has grown too long for the whole of it. Call the tool again if you still need it."
		}
		if len(m.Pictures) > 0 {
			messages[i].Pictures = nil
			messages[i].Text += "\n(program) The conversation has grown too long for the pictures that were shown here."
		}
		if len(m.Calls) > 0 {
			messages[i].Calls = slices.Clone(m.Calls)
			for k, c := range m.Calls {
				messages[i].Calls[k].Args = shortArgs(c.Args)
			}
		}
	}
	return messages
}

// shortArgs cuts the long fields of arguments that were acted upon long ago.
func shortArgs(args json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if len(args) <= 2*longPart {
		return args
	}
	if json.Unmarshal(args, &fields) != nil {
		fields = map[string]json.RawMessage{"left_out": args}
	}
	for name, value := range fields {
		if len(value) > longPart {
			text := string(value)
			_ = json.Unmarshal(value, &text) // what is not a string is shown as it was written
			quoted, _ := json.Marshal(ends(text, longPart/2))
			fields[name] = quoted
		}
	}
	short, err := json.Marshal(fields)
	if err != nil {
		return args
	}
	return short
}

// halve is how many messages, from the first on, have to be shortened for the conversation
// to be half as long as with short of them. Where that cannot be reached it is all of
// them; where there is nothing left to shorten, it is short again.
func halve(messages []model.Message, short int) int {
	before := size(shortened(messages, short))
	left := before
	for n := short; n < len(messages); n++ {
		one := messages[n : n+1]
		left -= size(one) - size(shortened(one, 1))
		if left <= before/2 {
			return n + 1
		}
	}
	if left < before {
		return len(messages)
	}
	return short
}

func size(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text) + asBytes*len(m.Pictures)
		for _, c := range m.Calls {
			n += len(c.Args)
		}
	}
	return n
}
