package story

import (
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
	"github.com/bobbinhq/bobbin/workflow"
)

// A State is what the bot has stored of a thread.
type State struct {
	Phase     workflow.Phase // empty: nothing is stored yet
	Corrected bool           // the newest report takes in the story's correction
	Objected  bool           // somebody objects to the approved work, and nobody overruled it
	Pushed    bool           // a push went out
	AtWork    bool           // the bot has something to do in the thread
}

// Waits reports whether the bot waits for a word on its report.
func (s State) Waits() bool { return s.Phase == workflow.PhaseReported && !s.AtWork }

// Fixes reports whether a fix was approved, and is not pushed yet.
func (s State) Fixes() bool {
	return slices.Contains([]workflow.Phase{
		workflow.PhaseWorking, workflow.PhaseVerifying, workflow.PhaseConsulting,
	}, s.Phase)
}

// Over reports whether nothing more happens in the thread unless a person writes.
func (s State) Over() bool {
	return !s.AtWork && slices.Contains([]workflow.Phase{
		workflow.PhaseDone, workflow.PhaseAnswered, workflow.PhaseStopped, workflow.PhaseFailed,
	}, s.Phase)
}

// A Line is what a person may say in the story. It is offered while When is true.
type Line struct {
	ID, Who, Says string
	When          func(State) bool
	Label         string // what saying it leads to
	Once          bool   // it is not offered any more after it was said
	Other         bool   // it is never the next step: it asks, objects or stops
	Alone         bool   // its person alone may see the answer
}

// A Story is played in one channel of a workspace. What may be said next follows from what the bot has stored
// of its thread, so a button that somebody presses advances the story as a line does.
type Story struct {
	Slack   *slacktest.Server
	Channel string            // channel ID
	People  map[string]string // user IDs by handle
	State   func(thread string) State
	Opening Line // the thread's first message
	Lines   []Line
}

var _ view.Story = (*Story)(nil)

// Next returns the story's thread, and the steps that may be said now. While the bot answers, they are those
// that can be said meanwhile. Afterwards there is always one that goes on: at the end, the opening.
func (s *Story) Next() (thread string, steps []view.Step) {
	thread, messages := s.thread()
	if thread == "" {
		return "", []view.Step{stepOf(s.Opening)}
	}
	state := s.State(thread)
	state.AtWork = state.AtWork || s.unanswered(messages)
	for _, l := range s.Lines {
		if l.When(state) && !(l.Once && s.said(messages, l)) {
			steps = append(steps, stepOf(l))
		}
	}
	if !state.AtWork && !slices.ContainsFunc(steps, func(s view.Step) bool { return !s.Other }) {
		again := stepOf(s.Opening)
		again.Label = "Once more, from the beginning"
		steps = append(steps, again)
	}
	return thread, steps
}

func stepOf(l Line) view.Step {
	return view.Step{ID: l.ID, Who: l.Who, Says: l.Says, Label: l.Label, Other: l.Other}
}

// unanswered reports whether the newest message is a line of the story: what is stored is from before it.
func (s *Story) unanswered(messages []slacktest.Message) bool {
	newest := messages[len(messages)-1:]
	return len(messages) == 1 ||
		slices.ContainsFunc(s.Lines, func(l Line) bool { return !l.Alone && s.said(newest, l) })
}

// said reports whether its person has said the line in the thread.
func (s *Story) said(messages []slacktest.Message, l Line) bool {
	return slices.ContainsFunc(messages, func(m slacktest.Message) bool {
		return m.User == s.People[l.Who] && m.Text == l.Says
	})
}

// thread returns the newest thread that begins with the opening, or an empty ts.
func (s *Story) thread() (ts string, messages []slacktest.Message) {
	for _, m := range slices.Backward(s.Slack.Channel(s.Channel)) {
		if m.BotID == "" && m.Text == s.opening() {
			return m.TS, s.Slack.Thread(s.Channel, m.TS)
		}
	}
	return "", nil
}

func (s *Story) opening() string { return s.Slack.Mention() + " " + s.Opening.Says }

// Take posts the step with that ID and returns its thread. It fails if the step is not offered now.
func (s *Story) Take(id string) (string, error) {
	thread, steps := s.Next()
	for _, step := range steps {
		if step.ID != id {
			continue
		}
		if id == s.Opening.ID {
			return s.Slack.Say(s.Channel, s.People[step.Who], s.opening(), "")
		}
		_, err := s.Slack.Say(s.Channel, s.People[step.Who], step.Says, thread)
		return thread, err
	}
	return "", fmt.Errorf("the story has no such step now")
}
