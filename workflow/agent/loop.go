// Package agent holds the agents as a table, their prompts, the tools by which they
// decide things, and the loop that drives one of them.
//
// The loop is plain: show the model what people wrote meanwhile, ask it, record the
// answer, run the tools it called, record each result, again. It ends when a tool ends
// it or a limit is reached. It keeps nothing of its own: a loop that is started again
// over the same journal goes on where the journal stops, and runs the calls that have no
// result yet. An agent never commits, pushes, posts or approves; its tools put down what
// it wants, and the turn decides.
package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Journal keeps what one agent was told and said.
type Journal interface {
	// Messages is the conversation so far.
	Messages() []model.Message
	// Append records messages, and whatever the tools of this step put down, in one
	// transaction.
	Append(ctx context.Context, usd float64, messages ...model.Message) error
	// Splice appends what people wrote since it was last called.
	Splice(ctx context.Context) error
}

// End says why a loop ended.
type End string

// The ends of a loop.
const (
	EndTool   End = "tool"   // a tool ended it, as it should
	EndSteps  End = "steps"  // the limit of steps was reached
	EndTime   End = "time"   // the limit of time was reached
	EndSilent End = "silent" // the model went on talking without calling a tool
	EndStuck  End = "stuck"  // the same call with the same result, over and over
	EndWrong  End = "wrong"  // one wrong call after another
)

// How often a model may go astray before the loop ends.
const (
	maxSilent = 3 // answers without a call, in a row
	maxWrong  = 6 // wrong calls, in a row
	maxSame   = 5 // equal calls with equal results among the last ten
)

// A Loop drives one agent.
type Loop struct {
	Agent   Agent
	Tools   []model.Tool
	Journal Journal
	Ask     func(ctx context.Context, r model.Request) (model.Response, error)
	// Step gives the context of one model call, or of one call of a tool in Overtaken: it
	// ends with ErrOvertaken when somebody wrote what makes that step pointless. It may be nil.
	Step func(ctx context.Context) (context.Context, func())
	// Overtaken are the tools that are worth cancelling then.
	Overtaken []string
	// Retrying hears why a model call is tried again; it may be nil.
	Retrying func(reason string, wait time.Duration)
	Log      *slog.Logger
	CacheKey string
}

// Run goes on until the agent ends its work or a limit ends it. Its error means that our
// side failed, or that ctx ended.
func (l *Loop) Run(ctx context.Context) (End, error) {
	if l.Agent.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Agent.Time, errTime)
		defer cancel()
	}
	end, err := l.run(ctx)
	if err != nil && context.Cause(ctx) == errTime {
		return EndTime, nil
	}
	return end, err
}

var errTime = fmt.Errorf("the agent's time is up")

func (l *Loop) run(ctx context.Context) (End, error) {
	if ended, err := l.runCalls(ctx); ended || err != nil {
		return EndTool, err
	}
	for step := 0; step < l.Agent.Steps; step++ {
		if err := l.Journal.Splice(ctx); err != nil {
			return "", err
		}
		if end := astray(l.Journal.Messages()); end != "" {
			return end, nil
		}
		if err := l.ask(ctx); err != nil {
			return "", err
		}
		if ended, err := l.runCalls(ctx); ended || err != nil {
			return EndTool, err
		}
	}
	return EndSteps, nil
}

// ErrOvertaken is the cause with which a step's context ends.
var ErrOvertaken = errors.New("somebody wrote what makes this step pointless")

// step runs one step; overtaken says that it was cancelled for what somebody wrote.
func (l *Loop) step(ctx context.Context, do func(context.Context) error) (overtaken bool, err error) {
	if l.Step == nil {
		return false, do(ctx)
	}
	within, done := l.Step(ctx)
	defer done()
	err = do(within)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(within), ErrOvertaken) {
		return true, nil
	}
	return false, err
}

// ask puts the conversation to the model and records its answer. An answer that was
// overtaken is none: the conversation goes on with what was written.
func (l *Loop) ask(ctx context.Context) error {
	var answer model.Response
	overtaken, err := l.step(ctx, func(ctx context.Context) (err error) {
		answer, err = l.request(ctx)
		return err
	})
	if err != nil || overtaken {
		return err
	}
	messages := []model.Message{answer.Message}
	if len(answer.Message.Calls) == 0 {
		messages = append(messages, model.Message{Role: model.User, Text: silentNudge})
	}
	return l.Journal.Append(ctx, answer.Usage.USD, messages...)
}

func (l *Loop) request(ctx context.Context) (model.Response, error) {
	return l.Ask(ctx, model.Request{
		Model: l.Agent.Model, Effort: l.Agent.Effort, System: l.Agent.Prompt,
		Messages: l.Journal.Messages(), Tools: l.Tools, OnRetry: l.Retrying, CacheKey: l.CacheKey,
	})
}

// silentNudge follows an answer that called no tool.
const silentNudge = "(program) Nobody sees text that is outside a tool call. Call the tool that says or does what you mean."

// runCalls runs the calls of the last answer that have no result yet, in order. Those
// behind a call that ends the turn are not carried out.
func (l *Loop) runCalls(ctx context.Context) (ended bool, err error) {
	calls := Unanswered(l.Journal.Messages())
	for i, call := range calls {
		result, err := l.call(ctx, call)
		if err != nil {
			return false, err
		}
		messages := []model.Message{{Role: model.ToolRole, CallID: call.ID, Text: result.Text, Wrong: result.Wrong}}
		if result.Ends {
			for _, late := range calls[i+1:] {
				messages = append(messages, model.Message{
					Role: model.ToolRole, CallID: late.ID, Wrong: true,
					Text: fmt.Sprintf("Not carried out: %s ended the turn. One thing at a time; call this again when it is its turn.", call.Name),
				})
			}
		}
		if err := l.Journal.Append(ctx, 0, messages...); err != nil || result.Ends {
			return result.Ends, err
		}
	}
	return false, nil
}

func (l *Loop) call(ctx context.Context, call model.Call) (model.Result, error) {
	for _, tool := range l.Tools {
		if tool.Name == call.Name {
			l.Log.Debug("tool call", "agent", l.Agent.Name, "tool", call.Name)
			return l.use(context.WithValue(ctx, callKey{}, call.ID), tool, call.Args)
		}
	}
	return model.Result{Wrong: true, Text: fmt.Sprintf("There is no tool %q. The tools are: %s.", call.Name, names(l.Tools))}, nil
}

func (l *Loop) use(ctx context.Context, tool model.Tool, args json.RawMessage) (result model.Result, err error) {
	if !slices.Contains(l.Overtaken, tool.Name) {
		return tool.Call(ctx, args)
	}
	overtaken, err := l.step(ctx, func(ctx context.Context) (err error) {
		result, err = tool.Call(ctx, args)
		return err
	})
	if overtaken {
		return model.Result{Text: "(program) Stopped before it ended: somebody wrote in the thread meanwhile. Read it before you go on."}, nil
	}
	return result, err
}

type callKey struct{}

// CallID is the id of the tool call that ctx runs under: a natural key for what it does.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

func names(tools []model.Tool) string {
	s := ""
	for i, t := range tools {
		if i > 0 {
			s += ", "
		}
		s += t.Name
	}
	return s
}

// Unanswered are the calls of the newest answer without a result.
func Unanswered(messages []model.Message) []model.Call {
	answered := map[string]bool{}
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role == model.ToolRole {
			answered[m.CallID] = true
			continue
		}
		if m.Role != model.Assistant {
			return nil
		}
		var open []model.Call
		for _, c := range m.Calls {
			if !answered[c.ID] {
				open = append(open, c)
			}
		}
		return open
	}
	return nil
}

// astray looks at the end of the conversation for a model that gets nowhere. What people
// wrote resets it.
func astray(messages []model.Message) End {
	messages = sinceLastWord(messages)
	calls := map[string]model.Call{}
	silent, wrong := 0, 0
	var results []string
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		switch {
		case m.Role == model.Assistant && len(m.Calls) == 0:
			silent++
		case m.Role == model.Assistant:
			silent = 0
		case m.Role == model.ToolRole && m.Wrong:
			wrong++
		case m.Role == model.ToolRole:
			wrong = 0
		}
		if m.Role == model.ToolRole {
			results = append(results, signature(calls[m.CallID], m.Text))
		}
	}
	switch {
	case silent >= maxSilent:
		return EndSilent
	case wrong >= maxWrong:
		return EndWrong
	case repeats(results) >= maxSame:
		return EndStuck
	}
	return ""
}

// sinceLastWord is the conversation after the newest thing that was not the model's own.
func sinceLastWord(messages []model.Message) []model.Message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.User && messages[i].Text != silentNudge {
			return messages[i+1:]
		}
	}
	return messages
}

// repeats is how often the commonest of the last ten results came.
func repeats(results []string) int {
	count, most := map[string]int{}, 0
	for _, r := range results[max(0, len(results)-10):] {
		count[r]++
		most = max(most, count[r])
	}
	return most
}

func signature(c model.Call, result string) string {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + string(c.Args) + "\x00" + result))
	return hex.EncodeToString(sum[:])
}
