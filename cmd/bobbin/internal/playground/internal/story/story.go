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
	Phase    workflow.Phase // empty: nothing is stored yet
	Revision int            // newest report that was shown
	Objected bool           // somebody objected to the approved work
	AtWork   bool           // the bot has something to do in the thread
}

// Waits reports whether the bot waits for a word on that revision of its report.
func (s State) Waits(revision int) bool {
	return s.Phase == workflow.PhaseReported && s.Revision == revision && !s.AtWork
}

// Fixes reports whether a fix was approved, and is not pushed yet.
func (s State) Fixes() bool {
	return slices.Contains([]workflow.Phase{
		workflow.PhaseWorking, workflow.PhaseVerifying, workflow.PhaseConsulting,
	}, s.Phase)
}

// Over reports whether nothing more happens in the thread unless a person writes.
func (s State) Over() bool {
	return slices.Contains([]workflow.Phase{
		workflow.PhaseDone, workflow.PhaseStopped, workflow.PhaseFailed,
	}, s.Phase)
}

// A Line is what a person may say in the story. It is offered while When is true, until it was said.
type Line struct {
	ID, Who, Says string
	When          func(State) bool
	Label         string // what saying it leads to
	Side          bool   // saying it does not advance the story
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

// Next returns the story's thread, and the steps that may be said now. There are none while the bot is at
// work and nothing can be said meanwhile.
func (s *Story) Next() (thread string, steps []view.Step) {
	thread, messages := s.thread()
	if thread == "" {
		return "", []view.Step{stepOf(s.Opening)}
	}
	state := s.State(thread)
	if state.Over() {
		again := stepOf(s.Opening)
		again.Label = "Once more, from the beginning"
		return thread, []view.Step{again}
	}
	for _, l := range s.Lines {
		switch said := s.said(messages, l); {
		case !l.When(state):
		case said && !l.Side:
			return thread, nil // it was said a moment ago, and is not stored yet
		case !said:
			steps = append(steps, stepOf(l))
		}
	}
	return thread, steps
}

func stepOf(l Line) view.Step { return view.Step{ID: l.ID, Who: l.Who, Says: l.Says, Label: l.Label} }

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
