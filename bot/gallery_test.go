package bot

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// TestGallery draws the messages that this package makes by itself: cards in every state and
// both renderings, what was answered, and what is split. Beside them are the lines of
// package turn, drawn by its own test.
func TestGallery(t *testing.T) {
	t.Parallel()
	o := openOffice(t, slacktest.Config{})
	root := o.say("it fails", "")
	for name, c := range everyCard(t, o, root) {
		for _, plain := range []bool{false, true} {
			o.bot.plainCards.Store(plain)
			key := name
			if plain {
				key += "-plain"
			}
			c.Key = key
			o.begin(c)
			o.hang("cards", key, o.lastCall("chat.postMessage"))
		}
	}
	o.bot.plainCards.Store(false)

	again := o.asked(root, "shall I?")
	require.NoError(t, o.poster((&outbox{}).put(again)).Drain(t.Context(), "s"))
	o.hang("messages", "answered", o.lastCall("chat.update"))

	several := o.posting("several", root, "Reading *Split* and `PerLine`")
	several.Lines = append(several.Lines, workflow.Line{Agent: "quick", Text: "## Found\n\n```go\nreturn a < b && c\n```\n<!channel> see [this](https://evil.example)"})
	o.draw("several-lines", several)
	o.draw("many-options", o.choice(30))
	o.draw("long", o.posting("long", root, strings.Repeat("a paragraph that says a lot about a little\n\n", 150)))
}

func (o *office) lastCall(method string) slacktest.Request {
	o.t.Helper()
	calls := o.Requests(method)
	require.NotEmpty(o.t, calls)
	return calls[len(calls)-1]
}

// draw posts p and hangs each of its messages.
func (o *office) draw(name string, p workflow.Posting) {
	o.t.Helper()
	before := len(o.Requests("chat.postMessage"))
	require.NoError(o.t, o.poster((&outbox{}).put(p)).Drain(o.t.Context(), "s"))
	for i, r := range o.Requests("chat.postMessage")[before:] {
		o.hang("messages", fmt.Sprintf("%s-%d", name, i+1), r)
	}
}

// choice is a question with many answers.
func (o *office) choice(n int) workflow.Posting {
	p := o.posting("choice", o.say("which?", ""), "Which one?")
	for i := range n {
		p.Lines[0].Buttons = append(p.Lines[0].Buttons, workflow.Button{ActionID: "option", Label: fmt.Sprintf("answer %d", i+1), Value: fmt.Sprint(i)})
	}
	return p
}

// hang holds a picture of the call against its file.
func (o *office) hang(room, name string, r slacktest.Request) {
	o.t.Helper()
	picture, err := slacktest.Picture(r)
	require.NoError(o.t, err, name)
	file := filepath.Join("testdata", "gallery", room, name+".json")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(o.t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(o.t, os.WriteFile(file, picture, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(o.t, err, "UPDATE_GOLDEN=1 makes it")
	require.Equal(o.t, string(want), string(picture), name)
}

// everyCard is a card in each phase of a run and at each of its ends, with a task in every
// state that there is.
func everyCard(t *testing.T, o *office, root string) map[string]*workflow.Card {
	t.Helper()
	var tasks []workflow.CardTask
	for i, state := range constants(t, "session.go", "TaskState") {
		c := workflow.CardTask{Number: i + 1, Label: "[deep + tdd skill]", Title: "Mend what is " + state, State: workflow.TaskState(state)}
		require.NotEmpty(t, taskWords(&workflow.Card{}, c), "no words for a task that is %s", state)
		tasks = append(tasks, c)
	}
	cards := map[string]*workflow.Card{"begun": {Phase: workflow.PhaseWorking, Stop: "opaque"}}
	for _, phase := range constants(t, "phase.go", "Phase") {
		p := workflow.Phase(phase)
		if p.MayWrite() || p == workflow.PhasePaused {
			cards[phase] = &workflow.Card{Phase: p, Stop: "opaque"}
		} else {
			cards["ended-"+phase] = &workflow.Card{Phase: p, Ended: true}
		}
	}
	for name, c := range cards {
		c.Thread, c.Run = o.thread(root), 1
		if name != "begun" {
			c.Worked, c.USD, c.Tasks = 195*time.Second, 0.42, tasks
		}
	}
	return cards
}

// constants are the values of a type's constants in a file of package workflow.
func constants(t *testing.T, file, kind string) (values []string) {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "workflow", file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(source, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && fmt.Sprint(spec.Type) == kind && len(spec.Values) == 1 {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			values = append(values, value)
		}
		return true
	})
	require.NotEmpty(t, values)
	return values
}
