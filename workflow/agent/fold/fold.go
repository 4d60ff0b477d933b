// Package fold shows a model less of a conversation that has outgrown its window.
//
// A conversation is only ever added to. That its older part was summed up, or that what is long
// in it is cut, is an entry of its own (model.Fold), and what a model is shown follows from the
// entries alone: it is the same after a restart, and begins with the same bytes from one fold to
// the next. A call is never parted from its result.
//
// What people and the program wrote stays word for word, and so do the calls of tools that are
// Kept, and the newest entries. What is summed up is what the model did beside that.
package fold

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// View is what the model is shown of a conversation.
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
		if m.Role == model.Folded || i < s.upto && !s.kept[i] {
			continue
		}
		if i < s.cut {
			m = cut(m, s.whole[i])
		}
		out = append(out, m)
	}
	return out
}

// A state is what the folds of a conversation come to.
type state struct {
	upto, cut   int
	kept, whole map[int]bool   // of the entries before upto, and before cut
	text        *model.Message // that stands for what is left out; nil: nothing is
}

func newest(messages []model.Message) state {
	s := state{}
	for _, m := range messages {
		if m.Role != model.Folded || m.Fold == nil {
			continue
		}
		kept := map[int]bool{}
		for _, i := range m.Fold.Kept {
			kept[i] = true
		}
		if m.Fold.Cut > s.cut {
			s.cut, s.whole = m.Fold.Cut, kept
		}
		if m.Fold.Upto > 0 {
			s.upto, s.kept, s.text = m.Fold.Upto, kept, &model.Message{Role: model.User, Text: m.Text}
		}
	}
	return s
}

// stays are the entries that are never summed up nor cut: what people and the program wrote,
// calls of tools that are kept, and their results.
func stays(messages []model.Message, tools []model.Tool) map[int]bool {
	keep, calls := map[string]bool{}, map[string]bool{}
	for _, t := range tools {
		keep[t.Name] = t.Kept
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
	asBytes  = 4000 // what a picture counts as
	longPart = 600  // bytes of a result or an argument that stay when it is cut
)

// Size is how many bytes of messages a model is sent.
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

// CutOldest cuts what is long in the oldest entries, until the model is shown half of what it was.
// It returns false where nothing is left to cut.
func CutOldest(messages []model.Message, tools []model.Tool) (model.Message, bool) {
	s, was := newest(messages), Size(View(messages))
	kept := stays(messages, tools)
	is, n := was, s.cut
	for ; n < len(messages) && is > was/2; n++ {
		if m := messages[n]; m.Role != model.Folded && (n >= s.upto || s.kept[n]) {
			is -= Size(messages[n:n+1]) - Size([]model.Message{cut(m, kept[n])})
		}
	}
	if is == was {
		return model.Message{}, false
	}
	return model.Message{Role: model.Folded, Fold: &model.Fold{Cut: n, Kept: indexes(kept, n), Was: was, Is: is}}, true
}

// indexes are the entries before one that are in a set, in order.
func indexes(set map[int]bool, before int) (list []int) {
	for i := range before {
		if set[i] {
			list = append(list, i)
		}
	}
	return list
}

// cut is an entry without its pictures, and, where it does not stay whole, without its long parts:
// a result of a tool, or what a model wrote as arguments.
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

// Ends is a text without its middle, where it is longer than most.
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
