package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A page is a Transcript in memory.
type page struct {
	messages []model.Message
	written  []model.Write
	spliced  int
	incoming []model.Message
}

// A row is something that a call asks to store.
type row string

func (row) StoredWithCall() {}

func (p *page) Messages() []model.Message { return p.messages }

func (p *page) Append(_ context.Context, e Entry) error {
	p.messages = append(p.messages, e.Messages...)
	p.written = append(p.written, e.Writes...)
	return nil
}

func (p *page) Splice(context.Context) error {
	p.spliced++
	p.messages = append(p.messages, p.incoming...)
	p.incoming = nil
	return nil
}

// answers returns a fake model that gives one answer of list for each request, and repeats the last one.
func answers(list ...model.Message) func(context.Context, model.Request) (model.Response, error) {
	n := 0
	return func(context.Context, model.Request) (model.Response, error) {
		m := list[min(n, len(list)-1)]
		n++
		return model.Response{Message: m}, nil
	}
}

func calls(id, name string) model.Message {
	return model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: id, Name: name, Args: json.RawMessage(`{}`)}},
	}
}

func tools(ran *[]string) []model.Tool {
	tool := func(name string, r model.Result) model.Tool {
		return model.Tool{
			Name: name,
			Call: func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
				*ran = append(*ran, name+" "+CallID(ctx))
				return r, nil
			},
		}
	}
	return []model.Tool{
		tool("look", model.Result{Text: "seen"}), tool("err", model.Result{Text: "no", Wrong: true}),
		tool("end", model.Result{Text: "bye", Ends: true}),
	}
}

func loop(p *page, ran *[]string, list ...model.Message) *Loop {
	return &Loop{
		Agent:      Agent{Steps: 30},
		Transcript: p,
		Tools:      tools(ran),
		Ask:        answers(list...),
		Log:        slog.New(slog.DiscardHandler),
	}
}

func TestLoopRunsCallsUntilOneEndsIt(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	end, err := loop(p, &ran, calls("a", "look"), calls("b", "end")).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTool, end)
	require.Equal(t, []string{"look a", "end b"}, ran)
	require.Equal(t, 2, p.spliced, "people are heard before each model call")
}

func TestLoopGoesOnWhereTheJournalStops(t *testing.T) {
	t.Parallel()
	open := model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: "a", Name: "look"}, {ID: "b", Name: "look"}},
	}
	p := &page{messages: []model.Message{open, {Role: model.ToolRole, CallID: "a", Text: "seen"}}}
	ran := []string{}
	_, err := loop(p, &ran, calls("c", "end")).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"look b", "end c"}, ran, "only the call without a result is run")
}

// A call of a tool that ends the work is refused beside a failure that the model has not seen; alone it is
// run.
func TestWhatEndsWorkWaitsUntilAFailureWasSeen(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]model.Result{
		"refused": {Text: "old is not in the file", Wrong: true},
		"failed":  {Text: "exit code 1", Failed: true},
	} {
		both := model.Message{
			Role:  model.Assistant,
			Calls: []model.Call{{ID: "a", Name: "try"}, {ID: "b", Name: "look"}, {ID: "c", Name: "end"}},
		}
		p := &page{}
		ran := []string{}
		l := loop(p, &ran, both, calls("d", "end"))
		l.Tools[2].EndsWork = true
		l.Tools = append(l.Tools, model.Tool{
			Name: "try",
			Call: func(context.Context, json.RawMessage) (model.Result, error) { return r, nil },
		})
		end, err := l.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, EndTool, end)
		require.Equal(t, []string{"look b", "end d"}, ran, name)
		require.Equal(t, "Not carried out: try, in the same answer, did not succeed. "+
			"Look at the results above first, then call end alone.", p.messages[3].Text)
		require.True(t, p.messages[3].Wrong)
	}
}

func TestLoopEndsWhenTheModelGoesAstray(t *testing.T) {
	t.Parallel()
	talk := model.Message{Role: model.Assistant, Text: "I would fix it."}
	p := &page{}
	ran := []string{}
	end, err := loop(p, &ran, talk).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndSilent, end)

	p = &page{}
	ran = []string{}
	var mistakes []model.Message
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		m := calls(id, "err")
		m.Calls[0].Args = json.RawMessage(`{"try":"` + id + `"}`)
		mistakes = append(mistakes, m)
	}
	end, err = loop(p, &ran, mistakes...).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndWrong, end)
	require.Len(t, ran, maxWrong, "a tool that refuses may do so more often than a call may be none")

	p = &page{}
	ran = []string{}
	end, err = loop(p, &ran, calls("x", "look")).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndStuck, end)
	require.Len(t, ran, maxSame)
}

func TestAPersonsWordResetsTheCount(t *testing.T) {
	t.Parallel()
	var messages []model.Message
	for range maxSame {
		messages = append(messages, calls("x", "err"),
			model.Message{Role: model.ToolRole, CallID: "x", Text: "no", Wrong: true})
	}
	require.Equal(t, EndStuck, noProgressEnd(messages, nil))
	messages = append(messages, model.Message{Role: model.User, Text: "try the other file"},
		calls("x", "err"), model.Message{Role: model.ToolRole, CallID: "x", Text: "no", Wrong: true})
	require.Empty(t, noProgressEnd(messages, nil))
}

func TestUnknownToolIsAnsweredWithTheList(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	_, err := loop(p, &ran, calls("a", "push"), calls("b", "end")).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, `There is no tool "push". The tools are: look, err, end.`, p.messages[1].Text)
	require.True(t, p.messages[1].Wrong)
}

func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	l := loop(p, &ran)
	l.Agent.Time = time.Millisecond
	l.Ask = func(ctx context.Context, _ model.Request) (model.Response, error) {
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	}
	end, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTime, end)
}

// The time that a call of an Untimed tool takes is not the agent's; what comes after it is.
func TestTheTimeOfOthersIsNotTheAgents(t *testing.T) {
	t.Parallel()
	for untimed, want := range map[bool]int{true: 2, false: 1} {
		synctest.Test(t, func(t *testing.T) {
			p := &page{}
			ran := []string{}
			asks := 0
			l := loop(p, &ran)
			l.Agent.Time = time.Minute
			l.Ask = func(ctx context.Context, _ model.Request) (model.Response, error) {
				asks++
				return model.Response{Message: calls(fmt.Sprint(asks), "look")}, pass(ctx, 40*time.Second)
			}
			l.Tools[0].Untimed = untimed
			l.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
				return model.Result{Text: "seen"}, pass(ctx, time.Hour)
			}
			end, err := l.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, EndTime, end)
			require.Equal(t, want, asks)
		})
	}
}

// pass lets time pass by synctest's clock: no real time passes.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// An agent that works within the call of another one does not take the other's end for its own.
func TestTheTimeOfAnotherAgentIsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &page{}
		ran := []string{}
		inner := loop(&page{}, &ran)
		inner.Agent.Time = time.Hour
		inner.Ask = func(ctx context.Context, _ model.Request) (model.Response, error) {
			return model.Response{}, pass(ctx, 50*time.Minute)
		}
		outer := loop(p, &ran, calls("a", "look"))
		outer.Agent.Time = time.Minute
		var within error
		outer.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
			_, within = inner.Run(ctx)
			return model.Result{}, within
		}
		end, err := outer.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, EndTime, end)
		require.ErrorIs(t, within, context.Canceled)
	})
}

func TestTableLaysSettingsOverDefaults(t *testing.T) {
	t.Parallel()
	table := Table(map[string]Setting{"deep": {Model: "m", Display: "fixer"}})
	require.Equal(t, "m", table["deep"].Model)
	require.Equal(t, "fixer", table["deep"].Signature())
	require.Equal(t, DefaultModel, table["orchestrator"].Model)
	require.Equal(t, "orchestrator", table["orchestrator"].Signature())
	for name, a := range table {
		require.NotEmpty(t, a.Prompt, name)
		require.NotZero(t, a.Steps, name)
	}
}

// What a call writes is recorded with its result, even if the call was the model's mistake.
func TestWhatACallWritesIsRecorded(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	l := loop(p, &ran, calls("a", "look"), calls("b", "err"), calls("c", "end"))
	for i, tool := range l.Tools {
		l.Tools[i].Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			r, err := tool.Call(ctx, args)
			r.Writes = []model.Write{row(tool.Name + " 1"), row(tool.Name + " 2")}
			return r, err
		}
	}
	_, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []model.Write{
		row("look 1"), row("look 2"), row("err 1"), row("err 2"), row("end 1"), row("end 2"),
	}, p.written)
}

// Calls after one that ends the turn get a result, but are not carried out.
func TestNothingIsDoneBehindTheEnd(t *testing.T) {
	t.Parallel()
	both := model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: "a", Name: "end"}, {ID: "b", Name: "look"}},
	}
	p := &page{}
	ran := []string{}
	end, err := loop(p, &ran, both).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTool, end)
	require.Equal(t, []string{"end a"}, ran)
	require.Empty(t, Unanswered(p.messages))
	require.Contains(t, p.messages[len(p.messages)-1].Text, "One thing at a time")
}

// An overtaken model call records no answer, and the next request contains what people wrote. A tool that is
// not in Interruptible runs to its end.
func TestAStepThatIsOvertaken(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	l := loop(p, &ran, calls("b", "end"))
	asked := 0
	next := l.Ask
	var overtake context.CancelCauseFunc
	l.Step = func(ctx context.Context) (context.Context, func()) {
		ctx, overtake = context.WithCancelCause(ctx)
		return ctx, func() { overtake(nil) }
	}
	l.Ask = func(ctx context.Context, r model.Request) (model.Response, error) {
		if asked++; asked == 1 {
			overtake(ErrSuperseded)
			return model.Response{}, ctx.Err()
		}
		return next(ctx, r)
	}
	l.Interruptible = []string{"look"}
	l.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
		overtake(ErrSuperseded)
		return model.Result{Writes: []model.Write{row("looked")}}, ctx.Err()
	}
	end, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTool, end)
	require.Equal(t, 2, asked)
	require.Equal(t, 2, p.spliced, "people are heard again before the second request")

	result, err := l.call(t.Context(), model.Call{ID: "c", Name: "look"})
	require.NoError(t, err)
	require.Contains(t, result.Text, "somebody wrote")
	require.Equal(t, []model.Write{row("looked")}, result.Writes, "what was done until then is not lost")
	l.Interruptible = nil // control: a tool that is not in Interruptible is not cancelled
	result, err = l.call(t.Context(), model.Call{ID: "d", Name: "look"})
	require.NoError(t, err)
	require.NotContains(t, result.Text, "somebody wrote")
}
