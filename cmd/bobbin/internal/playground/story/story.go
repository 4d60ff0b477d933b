package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/view"
)

// A Line is what somebody may say in the story. It is offered once the bot has said After, until
// somebody has said it, or the bot has said Until.
type Line struct {
	ID, Who, Says string
	After, Until  string
	Label         string // what saying it comes to
	Side          bool   // the story goes on as before, whether it is said or not
}

// A Story is told in one channel of a workspace. Where it stands is read from its thread.
type Story struct {
	Slack   *slacktest.Server
	Channel string            // id
	People  map[string]string // ids by handle
	Opening Line              // what the thread begins with
	Lines   []Line
	Ends    []string // what the bot says when it is over, in one way or another
}

var _ view.Story = (*Story)(nil)

// Next is where the story stands.
func (s *Story) Next() (thread string, steps []view.Step, waiting string) {
	thread, messages := s.thread()
	if thread == "" {
		return "", []view.Step{stepOf(s.Opening)}, ""
	}
	over := slices.ContainsFunc(s.Ends, func(end string) bool { return said(messages, end, true) })
	newest := -1 // the line that the bot said last, of those that lines come after
	for i, m := range messages {
		if m.BotID != "" && slices.ContainsFunc(s.Lines, func(l Line) bool { return strings.Contains(m.Text, l.After) }) {
			newest = i
		}
	}
	moved := false // somebody has gone on since
	for _, m := range messages[newest+1:] {
		for _, l := range s.Lines {
			moved = moved || !l.Side && m.BotID == "" && m.Text == l.Says
		}
	}
	for _, l := range s.Lines {
		if said(messages, l.After, true) && !said(messages, l.Until, true) && !said(messages, l.Says, false) && !moved {
			steps = append(steps, stepOf(l))
		}
	}
	switch {
	case over:
		again := stepOf(s.Opening)
		again.Label = "Once more, from the beginning"
		return thread, []view.Step{again}, ""
	case len(steps) == 0:
		waiting = "Bobbin is at work. What it does shows in the thread."
	}
	return thread, steps, waiting
}

func stepOf(l Line) view.Step { return view.Step{ID: l.ID, Who: l.Who, Says: l.Says, Label: l.Label} }

// said tells whether the bot, or a person, has said something in the thread.
func said(messages []slacktest.Message, text string, byBot bool) bool {
	return text != "" && slices.ContainsFunc(messages, func(m slacktest.Message) bool {
		if byBot {
			return m.BotID != "" && strings.Contains(m.Text, text)
		}
		return m.BotID == "" && m.Text == text
	})
}

// thread is the newest one that begins with the opening.
func (s *Story) thread() (ts string, messages []slacktest.Message) {
	for _, m := range slices.Backward(s.Slack.Channel(s.Channel)) {
		if m.BotID == "" && m.Text == s.opening() {
			return m.TS, s.Slack.Thread(s.Channel, m.TS)
		}
	}
	return "", nil
}

func (s *Story) opening() string { return s.Slack.Mention() + " " + s.Opening.Says }

// Take says a line.
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
	return "", fmt.Errorf("the story is not there now")
}
