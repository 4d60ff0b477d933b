package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/agent/internal/compaction"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// window is a fake model that accepts at most bytes bytes. It calls look on each request, and end on request
// number most. To a request for a summary it answers summary.
type window struct {
	bytes, most             int
	summary                 string
	asked, refused, summing int
	last                    []model.Message
}

func (w *window) ask(_ context.Context, r model.Request) (model.Response, error) {
	if compaction.Size(r.Messages) > w.bytes {
		w.refused++
		return model.Response{}, &model.Error{Kind: model.KindOverflow, Text: "too long"}
	}
	usage := model.Usage{Input: compaction.Size(r.Messages), Output: 1}
	if r.System == compaction.Prompt {
		w.summing++
		return model.Response{
			Message: model.Message{Role: model.Assistant, Text: w.summary},
			Finish:  model.FinishStop,
			Usage:   usage,
		}, nil
	}
	w.asked++
	w.last = r.Messages
	name := "look"
	if w.asked == w.most {
		name = "end"
	}
	args := fmt.Sprintf(`{"n":%d,"why":%q}`, w.asked, strings.Repeat("x", 3000))
	return model.Response{
		Message: model.Message{
			Role:  model.Assistant,
			Calls: []model.Call{{ID: fmt.Sprint(w.asked), Name: name, Args: json.RawMessage(args)}},
		},
		Usage: usage,
	}, nil
}

func fence(name, text string) string { return "<" + name + ">\n" + text + "\n</" + name + ">" }

// looking returns a loop with w as its model and a look tool that returns a long result.
func looking(w *window, p *page) (*Loop, *[]string) {
	ran := &[]string{}
	l := &Loop{
		Agent:      Agent{Steps: 60},
		Transcript: p,
		Ask:        w.ask,
		Log:        slog.New(slog.DiscardHandler),
		Tools:      tools(ran),
		Window:     ContextWindow{Fence: fence},
	}
	l.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
		return model.Result{Text: CallID(ctx) + strings.Repeat(" äöü", 2000)}, nil
	}
	l.Window.OnCompaction = func(f model.Compaction, first bool) []model.Write {
		return []model.Write{row(fmt.Sprint(f.Upto > 0, first))}
	}
	return l, ran
}

// requirePaired requires that each result follows its call, and that each call has a result.
func requirePaired(t *testing.T, shown []model.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range shown {
		require.NotEqual(t, model.CompactionRole, m.Role)
		require.True(t, utf8.ValidString(m.Text))
		if m.Role == model.ToolRole {
			require.True(t, open[m.CallID], "result %s of message %d has no call", m.CallID, i)
			delete(open, m.CallID)
			continue
		}
		require.Empty(t, open, "calls without results before message %d", i)
		for _, c := range m.Calls {
			require.True(t, json.Valid(c.Args), "%s", c.Args)
			open[c.ID] = true
		}
	}
	require.Empty(t, open)
}

// A conversation that outgrows the window continues with a summary of its older part. The
// transcript keeps every entry.
func TestAConversationThatIsTooLongIsSummedUp(t *testing.T) {
	t.Parallel()
	request := strings.Repeat("the request ", 500)
	for name, known := range map[string]int{"by the endpoint's word": 0, "before it is too long": 100 << 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &window{bytes: 100 << 10, most: 40, summary: "found: nothing yet"}
			p := &page{messages: []model.Message{{Role: model.User, From: "U1", Text: request}}}
			l, _ := looking(w, p)
			l.Window.Tokens = func(string) int { return known }
			end, err := l.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, EndTool, end)
			require.Equal(t, 40, w.asked)
			require.Greater(t, compaction.Size(p.messages), 3*w.bytes, "the transcript is whole")
			require.Equal(t, request, w.last[0].Text, "what people wrote stays")
			require.Contains(t, w.last[1].Text, "<summary>\nfound: nothing yet\n</summary>")
			require.Equal(t, model.User, w.last[1].Role)
			require.Equal(t, 1, strings.Count(fmt.Sprint(w.last), "<summary>"),
				"the newest summary has taken in the one before")
			requirePaired(t, w.last)
			require.Equal(t, p.messages[len(p.messages)-3].Text, w.last[len(w.last)-1].Text,
				"the newest result is whole")
			require.Equal(t, append([]model.Write{row("true true")}, repeated("true false", w.summing-1)...),
				p.written,
				"people are told the first time")
			require.Greater(t, w.summing, 2)
			require.Less(t, w.summing, 15)
			if known > 0 {
				require.Zero(t, w.refused)
			}
			require.Equal(t, w.last, compaction.View(p.messages[:len(p.messages)-2]),
				"it is shown the same after a restart")
		})
	}
}

func repeated(one row, n int) (list []model.Write) {
	for range n {
		list = append(list, one)
	}
	return list
}

// Between two folds, each request begins with the bytes of the request before it.
func TestWhatIsShownGrowsAtItsEndBetweenFolds(t *testing.T) {
	t.Parallel()
	w := &window{bytes: 100 << 10, most: 40, summary: "found: nothing yet"}
	p := &page{messages: []model.Message{{Role: model.User, Text: "the request"}}}
	l, _ := looking(w, p)
	var before []model.Message
	anew := 0
	inner := l.Ask
	l.Ask = func(ctx context.Context, r model.Request) (model.Response, error) {
		if r.System != compaction.Prompt && compaction.Size(r.Messages) <= w.bytes {
			if fmt.Sprint(r.Messages[:min(len(before), len(r.Messages))]) != fmt.Sprint(before) {
				anew++
			}
			before = r.Messages
		}
		return inner(ctx, r)
	}
	_, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, w.summing, anew)
}

// A summary that is empty, cut short, or hardly shorter than what it replaces is refused. Then the long parts
// of the oldest entries are cut, with a line that says so.
func TestASummaryThatGainsLittleIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		summary string
		change  func(*Loop)
	}{
		"empty":        {" \n", nil},
		"cut short":    {"found: a", func(l *Loop) { l.Ask = cutShort(l.Ask) }},
		"gains little": {"found: a", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &window{bytes: 60 << 10, most: 12, summary: c.summary}
			p := &page{messages: []model.Message{{Role: model.User, Text: "the request"}}}
			if name == "gains little" {
				// always stays, so a summary gains little
				p.messages[0].Text = strings.Repeat("the request ", 3800)
			}
			l, _ := looking(w, p)
			if c.change != nil {
				c.change(l)
			}
			_, err := l.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, 12, w.asked)
			require.Positive(t, w.summing)
			require.Equal(t, p.messages[0].Text, w.last[0].Text, "what people wrote stays")
			require.NotContains(t, fmt.Sprint(w.last), "<summary>")
			require.Contains(t, w.last[2].Text, "Call the tool again if you still need it.")
			require.Equal(t, row("false true"), p.written[0])
			requirePaired(t, w.last)
		})
	}
}

// cutShort returns a fake model that answers like ask, but whose summaries are cut short.
func cutShort(
	ask func(context.Context, model.Request) (model.Response, error),
) func(context.Context, model.Request) (model.Response, error) {
	return func(ctx context.Context, r model.Request) (model.Response, error) {
		answer, err := ask(ctx, r)
		if r.System == compaction.Prompt {
			answer.Finish = model.FinishLength
		}
		return answer, err
	}
}

// If nothing more can be left out, Run returns the endpoint's error, after at most two more tries.
func TestAConversationThatCannotBeShortened(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string][]model.Message{
		"words of people": {{Role: model.User, Text: strings.Repeat("x", 100_000)}},
		"still too long": {
			{Role: model.User, Text: strings.Repeat("x", 70_000)},
			{Role: model.Assistant, Calls: []model.Call{{ID: "a", Name: "look"}}},
			{Role: model.ToolRole, CallID: "a", Text: strings.Repeat("y", 9000)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &window{bytes: 60 << 10}
			l, _ := looking(w, &page{messages: messages})
			_, err := l.Run(t.Context())
			var failed *model.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, model.KindOverflow, failed.Kind)
			require.LessOrEqual(t, w.refused, 3)
			require.Zero(t, w.asked)
		})
	}
}

// Many small entries have no long parts to cut. Only a summary helps; without one, Run returns the endpoint's
// overflow error.
func TestManySmallEntriesAreSummedUp(t *testing.T) {
	t.Parallel()
	var messages []model.Message
	for n := range 400 {
		id := fmt.Sprint("old", n)
		messages = append(messages,
			model.Message{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: "look"}}},
			model.Message{Role: model.ToolRole, CallID: id, Text: id + strings.Repeat("z", 200)})
	}
	for _, on := range []bool{true, false} {
		w := &window{bytes: 60 << 10, most: 2, summary: "found: 400 small things"}
		l, _ := looking(w, &page{messages: messages})
		if !on {
			l.Window.Fence = nil
		}
		end, err := l.Run(t.Context())
		if !on {
			require.True(t, isOverflow(err))
			require.Zero(t, w.asked)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, EndTool, end)
		require.Equal(t, 1, w.summing)
	}
}

// A message that makes a step pointless also cancels a summary, and the model reads that message first,
// whether its window is known or not.
func TestASummingUpIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]func(string) int{
		"after an overflow": nil,
		"early":             func(string) int { return 20 << 10 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overtake(t, tokens)
		})
	}
}

func overtake(t *testing.T, tokens func(string) int) {
	w := &window{bytes: 60 << 10, most: 12, summary: "found: a"}
	p := &page{messages: []model.Message{{Role: model.User, Text: "the request"}}}
	l, _ := looking(w, p)
	l.Window.Tokens = tokens
	inner := l.Ask
	overtake := context.CancelCauseFunc(nil)
	l.Step = func(ctx context.Context) (context.Context, func()) {
		ctx, overtake = context.WithCancelCause(ctx)
		return ctx, func() { overtake(nil) }
	}
	wrote := false
	next := ""
	l.Ask = func(ctx context.Context, r model.Request) (model.Response, error) {
		if wrote && next == "" && r.System != compaction.Prompt {
			next = fmt.Sprint(r.Messages)
		}
		if r.System == compaction.Prompt && !wrote {
			wrote = true
			p.incoming = []model.Message{{Role: model.User, From: "U1", Text: "look elsewhere"}}
			overtake(ErrSuperseded)
			return model.Response{}, context.Cause(ctx)
		}
		return inner(ctx, r)
	}
	end, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTool, end)
	require.True(t, wrote)
	require.True(t, strings.Contains(next, "look elsewhere"),
		"the model was asked before it could read the message")
	require.Equal(t, 1, strings.Count(fmt.Sprint(p.written), "true true"))
}

func TestAHugeResultKeepsItsEnds(t *testing.T) {
	t.Parallel()
	p := &page{}
	ran := []string{}
	l := loop(p, &ran, calls("a", "look"), calls("b", "end"))
	l.Tools[0].Call = func(context.Context, json.RawMessage) (model.Result, error) {
		return model.Result{Text: "begin " + strings.Repeat("ü", 25<<20) + " end"}, nil
	}
	_, err := l.Run(t.Context())
	require.NoError(t, err)
	got := p.messages[1].Text
	require.Less(t, len(got), maxResult+100)
	require.True(t, strings.HasPrefix(got, "begin "))
	require.True(t, strings.HasSuffix(got, " end"))
	require.Contains(t, got, "bytes left out")
	require.True(t, utf8.ValidString(got))
}
