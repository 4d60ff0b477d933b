// Package compaction shortens what a model is shown of a conversation that has outgrown its window.
//
// Entries are only ever appended to a conversation. A summary of its older part, or a cut of its long
// entries, is an entry, too (model.Compaction). What a model is shown follows from the entries alone: it is the
// same after a restart, and from one compaction to the next it begins with the same bytes. A call is never
// separated from its result.
//
// What people and the program wrote stays word for word, and so do the calls of tools that are Kept, and the
// newest entries. Only the model's other work is summarised.
package compaction

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// View returns what the model is shown of a conversation.
func View(messages []model.Message) []model.Message {
	s := newest(messages)
	if s.text == nil && s.cut == 0 {
		return messages
	}
	out := make([]model.Message, 0, len(messages))
	for i, m := range messages {
		if i == s.upto && s.text != nil {
			out = append(out, *s.text)
		}
		if m.Role == model.CompactionRole || i < s.upto && !s.kept[i] {
			continue
		}
		if i < s.cut {
			m = cut(m, s.whole[i])
		}
		out = append(out, m)
	}
	return out
}

// A state is the combined effect of all compactions of a conversation.
type state struct {
	upto, cut   int
	kept, whole map[int]bool   // the entries before upto, and before cut, that stay
	text        *model.Message // the summary in place of what is left out; nil: nothing is left out
}

func newest(messages []model.Message) state {
	s := state{}
	for _, m := range messages {
		if m.Role != model.CompactionRole || m.Compaction == nil {
			continue
		}
		kept := map[int]bool{}
		for _, i := range m.Compaction.Kept {
			kept[i] = true
		}
		if m.Compaction.Cut > s.cut {
			s.cut, s.whole = m.Compaction.Cut, kept
		}
		if m.Compaction.Upto > 0 {
			s.upto, s.kept, s.text = m.Compaction.Upto, kept, &model.Message{Role: model.User, Text: m.Text}
		}
	}
	return s
}

// stays returns the indexes of the entries that are never summarised or cut: what people and the program
// wrote, calls of tools that are Kept, and their results.
func stays(messages []model.Message, tools []model.Tool) map[int]bool {
	keep, calls := map[string]bool{}, map[string]bool{}
	for _, t := range tools {
		keep[t.Name] = t.KeepVerbatim
	}
	kept := map[int]bool{}
	for i, m := range messages {
		switch m.Role {
		case model.User:
			kept[i] = true
		case model.Assistant:
			if slices.ContainsFunc(m.Calls, func(c model.Call) bool { return keep[c.Name] }) {
				kept[i] = true
				for _, c := range m.Calls {
					calls[c.ID] = true
				}
			}
		case model.ToolRole:
			kept[i] = calls[m.CallID]
		}
	}
	return kept
}

const (
	asBytes  = 4000 // size of a picture, in bytes
	longPart = 600  // bytes of a result or an argument that stay when it is cut
)

// Size returns how many bytes of these messages a model is sent. A picture counts as asBytes.
func Size(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text) + asBytes*len(m.Pictures)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
	}
	return n
}

// CutOldest returns an entry that cuts the long parts of the oldest entries, until the model is shown half as
// many bytes as before. It returns false if nothing is left to cut.
func CutOldest(messages []model.Message, tools []model.Tool) (model.Message, bool) {
	s, was := newest(messages), Size(View(messages))
	kept := stays(messages, tools)
	is, n := was, s.cut
	for ; n < len(messages) && is > was/2; n++ {
		if m := messages[n]; m.Role != model.CompactionRole && (n >= s.upto || s.kept[n]) {
			is -= Size(messages[n:n+1]) - Size([]model.Message{cut(m, kept[n])})
		}
	}
	if is == was {
		return model.Message{}, false
	}
	return model.Message{Role: model.CompactionRole, Compaction: &model.Compaction{Cut: n, Kept: indexes(kept, n), Was: was, Is: is}}, true
}

// indexes returns the members of set below before, in order.
func indexes(set map[int]bool, before int) (list []int) {
	for i := range before {
		if set[i] {
			list = append(list, i)
		}
	}
	return list
}

// cut returns m without its pictures and, unless whole is true, without its long parts: the result of a tool,
// or the arguments that a model wrote.
func cut(m model.Message, whole bool) model.Message {
	if len(m.Pictures) > 0 {
		m.Pictures = nil
		m.Text += "\n(program) The conversation has grown too long for the pictures that were shown here."
	}
	if whole {
		return m
	}
	if m.Role == model.ToolRole && len(m.Text) > 2*longPart {
		m.Text = Ends(m.Text, longPart) + "\n(program) The conversation has grown too long for the whole of it. Call the tool again if you still need it."
	}
	if len(m.Calls) > 0 {
		m.Calls = slices.Clone(m.Calls)
		for k, c := range m.Calls {
			m.Calls[k].Args = shortArgs(c.Args)
		}
	}
	return m
}

// shortArgs cuts the long fields of the arguments of an old call.
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
			_ = json.Unmarshal(value, &text) // a value that is not a string is shown as JSON
			quoted, _ := json.Marshal(Ends(text, longPart/2))
			fields[name] = quoted
		}
	}
	short, err := json.Marshal(fields)
	if err != nil {
		return args
	}
	return short
}

// Ends returns text without its middle if it is longer than most bytes.
func Ends(text string, most int) string {
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
