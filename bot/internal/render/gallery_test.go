package render_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/gateway"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// galleryOffice is a fake Slack workspace. The tests post to it and compare the calls that it receives with
// golden files.
type galleryOffice struct{ *bottest.Office }

func openGalleryOffice(t *testing.T) *galleryOffice {
	t.Helper()
	return &galleryOffice{bottest.Open(t, slacktest.Config{})}
}

func gallery(room, name string) string {
	return filepath.Join("testdata", "gallery", room, name+".json")
}

func (g *galleryOffice) post(p workflow.Posting) *bottest.Outbox {
	g.T.Helper()
	out := (&bottest.Outbox{}).Put(p)
	require.NoError(g.T, (&poster.Poster{
		Slack:  g.Bot,
		Outbox: out,
		Pace:   time.Nanosecond,
		Settle: time.Nanosecond,
	}).Drain(g.T.Context(), "s"))
	require.Empty(g.T, out.RefusedByKey)
	return out
}

// TestGallery compares the messages that this package makes with golden files: cards in every state and both
// renderings, answered questions, and split messages. The lines of package turn are in the same gallery and
// are compared by its own test.
func TestGallery(t *testing.T) {
	t.Parallel()
	o := openGalleryOffice(t)
	root := o.AdaSays("it fails", "")
	for name, c := range everyCard(t, o, root) {
		for _, plain := range []bool{false, true} {
			o.Bot.PlainCards.Store(plain)
			key := name
			if plain {
				key += "-plain"
			}
			c.Key = key
			o.post(workflow.Posting{Key: c.Key, Session: "s", Thread: c.Thread, Card: c})
			call := o.LastCall("chat.postMessage")
			require.NotContains(t, call.Args.Get("text"), "()", "no words for the state of a task")
			bottest.CompareGolden(o.T, gallery("cards", key), call)
		}
	}
	o.Bot.PlainCards.Store(false)

	asked := o.Posting("ask", root, "shall I?")
	asked.Lines[0].Buttons = []workflow.Button{
		{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque"},
	}
	again := o.Posting("ask:settled", root, "shall I?")
	again.Rewrites = "ask"
	again.Note = "Approved by <ann> & co."
	again.OnTS = o.post(asked).ByKey["ask"]
	o.post(again)
	bottest.CompareGolden(o.T, gallery("messages", "answered"), o.LastCall("chat.update"))

	several := o.Posting("several", root, "Reading *Split* and `PerLine`")
	several.Lines = append(several.Lines, workflow.Line{
		Agent: "quick",
		Text:  "## Found\n\n```go\nreturn a < b && c\n```\n<!channel> see [this](https://evil.example)",
	})
	o.draw("several-lines", several)
	o.draw("many-options", o.choice(30))
	o.draw("long",
		o.Posting("long", root, strings.Repeat("a paragraph that says a lot about a little\n\n", 150)))
}

// draw posts p and compares each of its messages with its golden file.
func (g *galleryOffice) draw(name string, p workflow.Posting) {
	g.T.Helper()
	before := len(g.Requests("chat.postMessage"))
	g.post(p)
	for i, r := range g.Requests("chat.postMessage")[before:] {
		bottest.CompareGolden(g.T, gallery("messages", fmt.Sprintf("%s-%d", name, i+1)), r)
	}
}

// choice returns a question with n answers.
func (g *galleryOffice) choice(n int) workflow.Posting {
	p := g.Posting("choice", g.AdaSays("which?", ""), "Which one?")
	for i := range n {
		p.Lines[0].Buttons = append(p.Lines[0].Buttons, workflow.Button{
			ActionID: workflow.ButtonOption, Label: fmt.Sprintf("answer %d", i+1), Value: fmt.Sprint(i),
		})
	}
	return p
}

// everyCard returns cards in each phase of a run and at each of its ends, with a task in every state.
func everyCard(t *testing.T, o *galleryOffice, root string) map[string]*workflow.Card {
	t.Helper()
	var tasks []workflow.CardTask
	for i, state := range constants(t, "task.go", "TaskState") {
		c := workflow.CardTask{
			Number: i + 1,
			Label:  "[deep + tdd skill]",
			Title:  "Fix what is " + state,
			State:  workflow.TaskState(state),
		}
		switch c.State {
		case workflow.TaskWorking:
			c.Took = 90 * time.Second
		case workflow.TaskDone:
			c.Took = 12 * time.Minute
		}
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
		c.Thread = o.ThreadOf(root)
		c.Run = 1
		if name != "begun" {
			c.Worked = 195 * time.Second
			c.Cost.USD = 0.42
			c.Tasks = tasks
		}
		if name == "working" {
			c.Running = "go test ./... && echo <!channel>"
			c.Ran = 45 * time.Second
		}
		if name == "verifying" {
			c.Running = "tests on the branch: 1,204 of about 4,151 tests (about 14 minutes in all)"
			c.Ran = 375 * time.Second
		}
	}
	return cards
}

// constants returns the values of a type's constants in a file of package workflow.
func constants(t *testing.T, file, kind string) (values []string) {
	t.Helper()
	name := filepath.Join("..", "..", "..", "workflow", file)
	source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
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

// homes is a fake Homes that shows everyone the same home.
type homes struct{ shows workflow.HomeView }

func (homes) Press(context.Context, string, workflow.ActionID, string) error { return nil }

func (homes) Form(context.Context, string, workflow.ActionID, string) (*workflow.Form, error) {
	return nil, nil
}

func (homes) Submit(context.Context, workflow.IncomingEvent) (string, error) { return "", nil }

func (h homes) Home(_ context.Context, user string) (workflow.HomeView, error) {
	h.shows.Person.ID = user
	return h.shows, nil
}

// TestAHomeInTheGallery compares an empty home, one of a guest, and one that shows everything possible, with
// golden files.
func TestAHomeInTheGallery(t *testing.T) {
	t.Parallel()
	o := openGalleryOffice(t)
	session := func(n int, phase workflow.Phase, why string) workflow.HomeSession {
		return workflow.HomeSession{Session: workflow.Session{
			ID:        fmt.Sprint("s", n),
			Thread:    workflow.Thread{Channel: "C0BUGS", TS: fmt.Sprintf("17000000%02d.000100", n)},
			Phase:     phase,
			Title:     fmt.Sprint("bug ", n),
			Requester: "U0BEN",
			Codebase:  workflow.Codebase{Repository: "shop"},
			SpentUSD:  0.5,
			Updated:   time.Unix(1_700_000_000, 0),
			TurnState: workflow.TurnState{Open: phase == workflow.PhaseExploring},
		}, Why: why}
	}
	help := &workflow.Help{DocsURL: "https://example.com/people"}
	empty := workflow.HomeView{Help: &workflow.Help{Unconfigured: true}}
	guest := workflow.HomeView{Help: help, NoReport: "Guests cannot start work here; ask a full member to."}
	for name, home := range map[string]workflow.HomeView{"empty": empty, "guest": guest, "whole": {
		Help:     help,
		Notice:   "The form took too long to open; run it again.",
		Person:   workflow.Person{Name: "ada"},
		Today:    workflow.Cost{USD: 1.25},
		OwnOnly:  true,
		More:     true,
		Settings: []string{"Repositories:", "  • shop, channels #C0BUGS1"},
		Guides: []workflow.ChannelGuideState{
			{Channel: "C0NEW"},
			{Channel: "C0BUGS", By: "U0BEN", TS: "1700000009.000100", Pinned: true},
			{Channel: "C0OUT", By: "U0BEN", Refused: "not_in_channel"},
			{Channel: "C0LOCKED", By: "U0BEN", Refused: "restricted_action"},
		},
		Lessons: []workflow.HomeLesson{
			{
				Number:     3,
				Repository: "shop",
				Text:       "Its tests are run with: go test ./...",
				At:         time.Unix(1_700_000_000, 0),
			},
			{
				Number:     4,
				Repository: "shop",
				Text:       "amounts are in <cents>",
				By:         "U0BEN",
				Thread:     workflow.Thread{Channel: "C0BUGS", TS: "1700000004.000100"},
				At:         time.Unix(1_700_000_000, 0),
				MayChange:  true,
			},
		},
		Waits: []workflow.HomeSession{session(1, workflow.PhaseReported, "a report to approve or correct")},
		Others: []workflow.HomeSession{
			session(2, workflow.PhaseExploring, ""),
			session(3, workflow.PhasePaused, "a decision on how to go on"),
			session(4, workflow.PhaseDone, ""), session(5, workflow.PhaseStopped, ""),
		},
	}} {
		require.NoError(t,
			(&gateway.Gateway{Slack: o.Bot, Homes: homes{home}}).PublishHome(t.Context(), o.Ada.ID))
		bottest.CompareGolden(t, gallery("home", name), o.LastCall("views.publish"))
	}
}
