package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
)

// A Line is what a person may say in the story. It is offered after the bot has posted After, until it was
// said or the bot has posted Until.
type Line struct {
	ID, Who, Says string
	After, Until  string
	Label         string // what saying it leads to
	Side          bool   // saying it does not advance the story
}

// A Story is played in one channel of a workspace. Its state is read from its thread.
type Story struct {
	Slack   *slacktest.Server
	Channel string            // channel ID
	People  map[string]string // user IDs by handle
	Opening Line              // the thread's first message
	Lines   []Line
	Ends    []string // texts with which the bot ends the story
}

var _ view.Story = (*Story)(nil)

// Next returns the story's thread, the steps that may be said now, and, if there are none, what the story
// waits for.
func (s *Story) Next() (thread string, steps []view.Step, waiting string) {
	thread, messages := s.thread()
	if thread == "" {
		return "", []view.Step{stepOf(s.Opening)}, ""
	}
	over := slices.ContainsFunc(s.Ends, func(end string) bool { return said(messages, end, true) })
	newest := -1 // index of the bot's newest message that matches some line's After
	for i, m := range messages {
		if m.BotID != "" &&
			slices.ContainsFunc(s.Lines, func(l Line) bool { return strings.Contains(m.Text, l.After) }) {
			newest = i
		}
	}
	moved := false // a line that advances the story was said after it
	for _, m := range messages[newest+1:] {
		for _, l := range s.Lines {
			moved = moved || !l.Side && m.BotID == "" && m.Text == l.Says
		}
	}
	for _, l := range s.Lines {
		if said(messages, l.After, true) && !said(messages, l.Until, true) &&
			!said(messages, l.Says, false) && !moved {
			steps = append(steps, stepOf(l))
		}
	}
	switch {
	case over:
		again := stepOf(s.Opening)
		again.Label = "Once more, from the beginning"
		return thread, []view.Step{again}, ""
	case len(steps) == 0:
		waiting = "Bobbin is at work; follow it in the thread."
	}
	return thread, steps, waiting
}

func stepOf(l Line) view.Step { return view.Step{ID: l.ID, Who: l.Who, Says: l.Says, Label: l.Label} }

// said reports whether the bot's messages contain text, or, without byBot, whether a person's message is
// text.
func said(messages []slacktest.Message, text string, byBot bool) bool {
	return text != "" && slices.ContainsFunc(messages, func(m slacktest.Message) bool {
		if byBot {
			return m.BotID != "" && strings.Contains(m.Text, text)
		}
		return m.BotID == "" && m.Text == text
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
	thread, steps, _ := s.Next()
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
