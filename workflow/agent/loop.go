// Package agent defines the agents and their prompts, and runs the loop that drives one agent.
//
// In each step the loop appends what people wrote meanwhile, asks the model, records the answer, runs the
// tools that the model called and records each result. It ends when a tool ends it, when a limit is reached,
// or when the model makes no progress. The state of a loop is its transcript: a loop that is started again over
// the same transcript first runs the calls that have no result yet, and continues from there. An agent never
// commits, pushes, posts or approves: its tools return what is to be written, and the turn decides.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/bobbinhq/bobbin/workflow/agent/internal/compaction"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Transcript stores the conversation of one agent: what it was told, its answers and the results of its calls.
type Transcript interface {
	// Messages returns the conversation so far.
	Messages() []model.Message
	// Append records an entry in one transaction.
	Append(ctx context.Context, e Entry) error
	// Splice appends the messages that people wrote since its last call.
	Splice(ctx context.Context) error
}

// An Entry is what one step adds to a transcript.
type Entry struct {
	Messages []model.Message
	Writes   []any       // what a tool call asks to store; the transcript defines the types
	Usage    model.Usage // tokens that the model's answer used
}

// A Loop drives one agent.
type Loop struct {
	Agent      Agent
	Tools      []model.Tool
	Transcript Transcript
	Ask        func(ctx context.Context, r model.Request) (model.Response, error)
	// Step returns a context for one model call, or for one call of a tool in Interruptible, and a func that
	// releases it. The context ends with the cause ErrSuperseded when a person writes a message that makes the
	// step pointless. Step may be nil.
	Step func(ctx context.Context) (context.Context, func())
	// CheckStep checks whether such a step may begin. It gets the tool's name, or "" for a model call. Its error
	// ends the loop. May may be nil.
	CheckStep func(ctx context.Context, tool string) error
	// Interruptible names the tools whose calls are cancelled when a message makes them pointless.
	Interruptible []string
	// OnRetry is called when a model call is retried; it may be nil.
	OnRetry  func(model.RetryNotice)
	Log      *slog.Logger
	CacheKey string
	Window   ContextWindow

	clock *clock // of the current Run; nil: the agent's time is not limited
}

// Run runs the loop until a tool ends it, a limit is reached, or the model makes no progress. It returns an
// error if the program or the endpoint failed, or if ctx ended.
func (l *Loop) Run(ctx context.Context) (End, error) {
	if l.Agent.Time <= 0 {
		return l.run(ctx)
	}
	var release func()
	l.clock, ctx, release = startClock(ctx, l.Agent.Time)
	defer release()
	end, err := l.run(ctx)
	if err != nil && context.Cause(ctx) == l.clock.timeUp {
		return EndTime, nil
	}
	return end, err
}

func (l *Loop) run(ctx context.Context) (End, error) {
	if ended, err := l.runCalls(ctx); ended || err != nil {
		return EndTool, err
	}
	for step := 0; step < l.Agent.Steps; step++ {
		if err := l.Transcript.Splice(ctx); err != nil {
			return "", err
		}
		if end := noProgressEnd(l.Transcript.Messages(), l.Tools); end != "" {
			return end, nil
		}
		superseded, err := l.compactEarly(ctx)
		if err != nil {
			return "", err
		}
		if superseded { // the next step reads the message first
			continue
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

// ErrSuperseded is the cause with which a step's context ends when a person's message makes the step
// pointless.
var ErrSuperseded = errors.New("superseded by a newer message")

// step calls do with the context of one step. It returns superseded if a person's message cancelled the step.
func (l *Loop) step(ctx context.Context, tool string, do func(context.Context) error) (superseded bool, err error) {
	if l.CheckStep != nil {
		if err := l.CheckStep(ctx, tool); err != nil {
			return false, err
		}
	}
	if l.Step == nil {
		return false, do(ctx)
	}
	within, done := l.Step(ctx)
	defer done()
	err = do(within)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(within), ErrSuperseded) {
		return true, nil
	}
	return false, err
}

// ask sends the conversation to the model and records its answer. If a person's message made the step
// pointless, ask records nothing, and the next step shows the model that message.
func (l *Loop) ask(ctx context.Context) error {
	answer, superseded, err := l.request(ctx)
	if err != nil || superseded {
		return err
	}
	failpoint.Crash("model_answered")
	messages := []model.Message{answer.Message}
	if len(answer.Message.Calls) == 0 {
		messages = append(messages, model.Message{Role: model.User, Text: nudgeFor(answer)})
	}
	return l.Transcript.Append(ctx, Entry{Messages: messages, Usage: answer.Usage})
}

// request asks the model. If the conversation has outgrown the model's window, request makes room and asks
// again, at most twice: first it summarises the older part, then it cuts the long parts of the oldest
// entries.
func (l *Loop) request(ctx context.Context) (answer model.Response, superseded bool, err error) {
	for tries := 0; ; tries++ {
		shown := compaction.View(l.Transcript.Messages())
		superseded, err = l.step(ctx, "", func(ctx context.Context) (err error) {
			answer, err = l.Ask(ctx, model.Request{
				Model: l.Agent.Model, Effort: l.Agent.Effort, System: l.Agent.Prompt,
				Messages: shown, Tools: l.Tools, OnRetry: l.OnRetry, CacheKey: l.CacheKey,
			})
			return err
		})
		if !isOverflow(err) || tries == 2 {
			l.answered(shown, answer.Usage)
			return answer, superseded, err
		}
		made, superseded, failed := l.compact(ctx, tries == 0)
		if failed != nil || superseded {
			return answer, superseded, failed
		}
		if !made {
			return answer, false, err
		}
	}
}

// runCalls runs the calls of the last answer that have no result yet, in order. Calls after one that ends the
// turn are not carried out; their result says so.
func (l *Loop) runCalls(ctx context.Context) (ended bool, err error) {
	calls := Unanswered(l.Transcript.Messages())
	for i, call := range calls {
		result, err := l.call(ctx, call)
		if err != nil {
			return false, err
		}
		failpoint.Crash("call_carried_out")
		messages := []model.Message{{
			Role: model.ToolRole, CallID: call.ID, Text: compaction.Ends(result.Text, maxResult), Wrong: result.Wrong, Malformed: result.Malformed, Failed: result.Failed,
		}}
		if result.Ends {
			for _, late := range calls[i+1:] {
				messages = append(messages, model.Message{
					Role: model.ToolRole, CallID: late.ID, Wrong: true,
					Text: fmt.Sprintf("Not carried out: %s ended the turn. One thing at a time; call this again when it is its turn.", call.Name),
				})
			}
		}
		if err := l.Transcript.Append(ctx, Entry{Messages: messages, Writes: result.Writes}); err != nil || result.Ends {
			return result.Ends, err
		}
		failpoint.Crash("result_recorded")
	}
	return false, nil
}

func (l *Loop) call(ctx context.Context, call model.Call) (model.Result, error) {
	if call.Refused != "" {
		return model.Result{Wrong: true, Malformed: true, Text: call.Refused}, nil
	}
	for _, tool := range l.Tools {
		if tool.Name == call.Name {
			if bad := unseenFailure(l.Transcript.Messages()); bad != "" && tool.EndsWork {
				return model.Result{Wrong: true, Text: fmt.Sprintf("Not carried out: %s, in the same answer, did not succeed. Look at the results above first, then call %s alone.", bad, tool.Name)}, nil
			}
			l.Log.Debug("tool call", "agent", l.Agent.Name, "tool", call.Name)
			return l.use(context.WithValue(ctx, callKey{}, call.ID), tool, call.Args)
		}
	}
	return model.Result{Wrong: true, Malformed: true, Text: fmt.Sprintf("There is no tool %q. The tools are: %s.", call.Name, names(l.Tools))}, nil
}

func (l *Loop) use(ctx context.Context, tool model.Tool, args json.RawMessage) (result model.Result, err error) {
	if tool.Untimed {
		defer l.clock.stop()()
	}
	if !slices.Contains(l.Interruptible, tool.Name) {
		return tool.Call(ctx, args)
	}
	superseded, err := l.step(ctx, tool.Name, func(ctx context.Context) (err error) {
		result, err = tool.Call(ctx, args)
		return err
	})
	if superseded {
		return model.Result{
			Text: "(program) Stopped before it ended: somebody wrote in the thread meanwhile. Read it before you go on.", Writes: result.Writes,
		}, nil
	}
	return result, err
}

type callKey struct{}

// CallID returns the id of the tool call that ctx belongs to. It is a natural key for what the call stores.
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

// unseenFailure returns the tool's name of the first call of the newest answer that was refused or failed,
// and whose result the model has not seen yet. It returns "" if there is none.
func unseenFailure(messages []model.Message) (name string) {
	bad := map[string]bool{}
	for _, m := range slices.Backward(messages) {
		if m.Role != model.ToolRole {
			for _, c := range m.Calls {
				if bad[c.ID] {
					return c.Name
				}
			}
			return ""
		}
		bad[m.CallID] = m.Wrong || m.Failed
	}
	return ""
}

// Unanswered returns the calls of the newest answer that have no result yet.
func Unanswered(messages []model.Message) []model.Call {
	answered := map[string]bool{}
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role == model.CompactionRole {
			continue
		}
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
