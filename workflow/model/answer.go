package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Finish reasons.
const (
	FinishStop    = "stop"
	FinishCalls   = "tool_calls"
	FinishLength  = "length"         // cut at the limit of tokens
	FinishFilter  = "content_filter" // cut by the endpoint's filter
	FinishRefusal = "refusal"        // the model declined; Text says why
)

// maxAnswer is the limit, in bytes, of the text and arguments of an answer.
const maxAnswer = 4 << 20

// maxCallExtra is the limit of the data to send back with one call, in bytes; larger data is dropped.
const maxCallExtra = 64 << 10

// An answer collects the chunks of a streamed answer.
type answer struct {
	text    strings.Builder
	refusal strings.Builder
	calls   []*callBeingWritten
	size    int
	finish  string
	usage   *openai.Usage
	taken   map[string]bool // the ids that the conversation already uses

	response Response // set by End
}

type callBeingWritten struct {
	index    int
	id, name string
	args     strings.Builder
	extra    json.RawMessage // what the endpoint has to get back with the call
}

// Add adds a chunk, and reports whether a finish reason has arrived.
func (a *answer) Add(chunk endpoint.Chunk) (finished bool, err error) {
	if chunk.Usage != nil {
		a.usage = chunk.Usage
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // only one answer was requested
		}
		if err := a.addDelta(choice.Delta); err != nil {
			return false, err
		}
		if choice.FinishReason != "" && choice.FinishReason != openai.FinishReasonNull {
			a.finish = string(choice.FinishReason)
		}
	}
	return a.finish != "", nil
}

func (a *answer) addDelta(d endpoint.Delta) error {
	a.size += len(d.Content) + len(d.Refusal)
	a.text.WriteString(d.Content)
	a.refusal.WriteString(d.Refusal)
	for _, part := range d.ToolCalls {
		a.size += len(part.Function.Arguments) + len(part.Function.Name) + len(part.Extra)
		a.addCall(part)
	}
	if a.size > maxAnswer {
		return endpoint.ErrTooLong
	}
	return nil
}

// addCall adds a part to the call that it belongs to. Servers differ: some leave out the index, some give
// every call the index 0 and a new id, some repeat id and name each time.
func (a *answer) addCall(part endpoint.ToolCall) {
	c := a.callOf(part)
	if c == nil {
		index := len(a.calls)
		if part.Index != nil {
			index = *part.Index
		}
		c = &callBeingWritten{index: index, id: part.ID, name: part.Function.Name}
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = part.ID
	}
	if c.name == "" {
		c.name = part.Function.Name
	}
	if c.extra == nil && bytes.HasPrefix(part.Extra, []byte("{")) && len(part.Extra) <= maxCallExtra {
		c.extra = part.Extra
	}
	c.args.WriteString(part.Function.Arguments)
}

func (a *answer) callOf(part endpoint.ToolCall) *callBeingWritten {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if part.Index != nil && c.index != *part.Index {
			continue
		}
		if part.ID != "" && c.id != "" && part.ID != c.id {
			if part.Index == nil {
				continue
			}
			return nil // the same index used again for another call
		}
		return c
	}
	return nil
}

// End makes the response from the chunks.
func (a *answer) End() error {
	a.response = Response{Finish: a.finish, Message: Message{Role: Assistant, Text: a.text.String()}}
	r := &a.response
	switch {
	case a.finish == "error":
		return errors.New("the endpoint broke off its answer")
	case a.finish == FinishLength || a.finish == FinishFilter:
		return nil // calls may be cut, so none is returned
	case a.refusal.Len() > 0 && len(a.calls) == 0:
		r.Finish = FinishRefusal
		r.Message.Text = textOr(r.Message.Text, a.refusal.String())
		return nil
	}
	shared := a.sharedIDs()
	for _, c := range a.calls {
		if c.name == "" {
			return errors.New("the answer holds a call of a tool without a name")
		}
		r.Message.Calls = append(r.Message.Calls, Call{
			ID: freshID(c.id, a.taken), Name: c.name, Args: argsOf(c.args.String()),
			Refused: shared[c.id], Extra: c.extra,
		})
	}
	r.Finish = FinishStop
	if len(r.Message.Calls) > 0 {
		r.Finish = FinishCalls // some servers say stop nevertheless
	}
	return nil
}

// sharedIDs returns the ids that several calls of this answer have, each with the reason why none of these
// calls is run: they may be one call that arrived twice. An id that an earlier answer used is no problem:
// some servers count from call_0 in each answer, and freshID renames it.
func (a *answer) sharedIDs() map[string]string {
	times := map[string]int{}
	shared := map[string]string{}
	for _, c := range a.calls {
		times[c.id]++
	}
	for id, n := range times {
		if id != "" && n > 1 { // a call without an id gets a new one
			shared[id] = fmt.Sprintf("Not run: this answer holds %d calls with the id %s. Call again, "+
				"each under an id of its own.", n, plaintext.CutLine(id, 80))
		}
	}
	return shared
}

// freshID returns id, or an id made from it that no other call in the conversation has.
func freshID(id string, taken map[string]bool) string {
	if id == "" {
		id = "call"
	}
	unique := id
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", id, n)
	}
	taken[unique] = true
	return unique
}

func idsOf(messages []Message) map[string]bool {
	taken := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	return taken
}
