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

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

// window is a model that reads so many bytes at most, and looks at things until it was
// asked often enough.
type window struct {
	bytes, asked, refused int
	last                  []model.Message
}

func (w *window) ask(_ context.Context, r model.Request) (model.Response, error) {
	if size(r.Messages) > w.bytes {
		w.refused++
		return model.Response{}, &endpoint.Error{Kind: endpoint.KindOverflow, Text: "too long"}
	}
	w.asked++
	w.last = r.Messages
	name := "look"
	if w.asked == 12 {
		name = "end"
	}
	args := fmt.Sprintf(`{"n":%d,"why":%q}`, w.asked, strings.Repeat("x", 3000))
	return model.Response{Message: model.Message{Role: model.Assistant, Calls: []model.Call{{ID: fmt.Sprint(w.asked), Name: name, Args: json.RawMessage(args)}}}}, nil
}

// A conversation that outgrows the window goes on without the long parts of its beginning;
// the journal keeps them.
func TestAConversationThatIsTooLongIsShortened(t *testing.T) {
	t.Parallel()
	w := &window{bytes: 60 << 10}
	p := &page{messages: []model.Message{{Role: model.User, Text: strings.Repeat("the request ", 500)}}}
	l := &Loop{Agent: Agent{Steps: 30}, Journal: p, Ask: w.ask, Log: slog.New(slog.DiscardHandler)}
	var ran []string
	l.Tools = tools(&ran)
	l.Tools[0].Call = func(ctx context.Context, _ json.RawMessage) (model.Result, error) {
		return model.Result{Text: CallID(ctx) + strings.Repeat(" äöü", 2000)}, nil
	}
	end, err := l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, EndTool, end)
	require.Equal(t, 12, w.asked)
	require.LessOrEqual(t, w.refused, 4, "what was left out once stays out: not every request is refused first")
	require.Greater(t, size(p.messages), 2*w.bytes, "the journal is whole")
	require.Equal(t, p.messages[0].Text, w.last[0].Text, "what people wrote stays")
	require.Contains(t, w.last[2].Text, "Call the tool again if you still need it.")
	for _, m := range w.last {
		require.True(t, utf8.ValidString(m.Text))
		for _, c := range m.Calls {
			require.True(t, json.Valid(c.Args), "%s", c.Args)
		}
	}
	require.Equal(t, p.messages[len(p.messages)-3].Text, w.last[len(w.last)-1].Text, "the newest result is whole")
}

// Where nothing is left to leave out, the endpoint's word stands, after one more try at most.
func TestAConversationThatCannotBeShortened(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string][]model.Message{
		"words of people":  {{Role: model.User, Text: strings.Repeat("x", 100_000)}},
		"still too long":   {{Role: model.User, Text: strings.Repeat("x", 70_000)}, {Role: model.Assistant, Calls: []model.Call{{ID: "a", Name: "look"}}}, {Role: model.ToolRole, CallID: "a", Text: strings.Repeat("y", 9000)}},
		"many small parts": manySmall(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ran := &window{bytes: 60 << 10}, []string{}
			l := &Loop{Agent: Agent{Steps: 30}, Journal: &page{messages: messages}, Ask: w.ask, Tools: tools(&ran), Log: slog.New(slog.DiscardHandler)}
			_, err := l.Run(t.Context())
			var failed *endpoint.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, endpoint.KindOverflow, failed.Kind)
			require.LessOrEqual(t, w.refused, 2)
			require.Zero(t, w.asked)
		})
	}
}

func manySmall() (messages []model.Message) {
	for n := range 400 {
		id := fmt.Sprint(n)
		messages = append(messages, model.Message{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: "look"}}},
			model.Message{Role: model.ToolRole, CallID: id, Text: id + strings.Repeat("z", 200)})
	}
	return messages
}

func TestAHugeResultKeepsItsEnds(t *testing.T) {
	t.Parallel()
	p, ran := &page{}, []string{}
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
