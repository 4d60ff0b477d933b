package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Finish reasons.
const (
	FinishStop    = "stop"
	FinishCalls   = "tool_calls"
	FinishLength  = "length"         // cut at the limit of tokens
	FinishFilter  = "content_filter" // cut by the endpoint's filter
	FinishRefusal = "refusal"        // the model will not; Text says why
)

// maxAnswer is how many bytes of text and arguments an answer may have.
const maxAnswer = 4 << 20

// An answer is being put together from the chunks of a stream.
type answer struct {
	onText  func(string)
	text    strings.Builder
	refusal strings.Builder
	calls   []*callBeingWritten
	size    int
	finish  string
	usage   *openai.Usage
	taken   map[string]bool // the ids that the conversation already uses
	extras  []callExtra

	response Response // by End
}

type callBeingWritten struct {
	index    int
	id, name string
	args     strings.Builder
}

// Add takes a chunk, and says whether there was a finish reason by now.
func (a *answer) Add(chunk openai.ChatCompletionStreamResponse) (finished bool, err error) {
	if chunk.Usage != nil {
		a.usage = chunk.Usage
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
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

// A callExtra is what the endpoint wants back with a call.
type callExtra struct {
	index int
	id    string // empty: the call with the index
	extra json.RawMessage
}

// AddExtra takes what the endpoint wants back with a call.
func (a *answer) AddExtra(index int, id string, extra json.RawMessage) {
	a.size += len(extra)
	a.extras = append(a.extras, callExtra{index, id, slices.Clone(extra)})
}

// extraOf is what the endpoint wants back with the call; nil as a rule.
func (a *answer) extraOf(c *callBeingWritten) json.RawMessage {
	for _, x := range a.extras {
		if x.id != "" && x.id == c.id || x.id == "" && x.index == c.index {
			return x.extra
		}
	}
	return nil
}

func (a *answer) addDelta(d openai.ChatCompletionStreamChoiceDelta) error {
	a.size += len(d.Content) + len(d.Refusal)
	a.text.WriteString(d.Content)
	a.refusal.WriteString(d.Refusal)
	for _, part := range d.ToolCalls {
		a.size += len(part.Function.Arguments) + len(part.Function.Name)
		a.addCall(part)
	}
	if a.size > maxAnswer {
		return endpoint.ErrTooLong
	}
	if d.Content != "" && a.onText != nil {
		a.onText(d.Content)
	}
	return nil
}

// addCall finds the call that a part belongs to. Servers differ: some leave the index
// out, some give every call the index 0 and a new id, some repeat id and name each time.
func (a *answer) addCall(part openai.ToolCall) {
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
	c.args.WriteString(part.Function.Arguments)
}

func (a *answer) callOf(part openai.ToolCall) *callBeingWritten {
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

// End makes the whole answer.
func (a *answer) End() error {
	a.response = Response{Finish: a.finish, Message: Message{Role: Assistant, Text: a.text.String()}}
	r := &a.response
	switch {
	case a.finish == "error":
		return errors.New("the endpoint broke off its answer")
	case a.finish == FinishLength || a.finish == FinishFilter:
		return nil // calls may be cut: none is worth running
	case a.refusal.Len() > 0 && len(a.calls) == 0:
		r.Finish, r.Message.Text = FinishRefusal, textOr(r.Message.Text, a.refusal.String())
		return nil
	}
	shared := a.sharedIDs()
	for _, c := range a.calls {
		if c.name == "" {
			return errors.New("the answer holds a call of a tool without a name")
		}
		r.Message.Calls = append(r.Message.Calls, Call{
			ID: freshID(c.id, a.taken), Name: c.name, Args: argsOf(c.args.String()), Refused: shared[c.id], Extra: a.extraOf(c),
		})
	}
	r.Finish = FinishStop
	if len(r.Message.Calls) > 0 {
		r.Finish = FinishCalls // some servers say stop all the same
	}
	return nil
}

// sharedIDs are the ids that stand for more than one call of this answer, each with why no
// call under it is run: it may be one call that came twice. An id that an earlier answer
// used is no trouble: some servers count from call_0 in each, and it is renamed.
func (a *answer) sharedIDs() map[string]string {
	times, shared := map[string]int{}, map[string]string{}
	for _, c := range a.calls {
		times[c.id]++
	}
	for id, n := range times {
		if id != "" && n > 1 { // an empty one gets one of its own
			shared[id] = fmt.Sprintf("Not run: this answer holds %d calls with the id %s. Call again, each under an id of its own.", n, plaintext.CutLine(id, 80))
		}
	}
	return shared
}

// freshID is the id itself, or one made from it that nothing else in the conversation has.
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
