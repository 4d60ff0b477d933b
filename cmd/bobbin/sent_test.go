package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// send WHO TEXT: uses the shortcut on the newest message of the channel that holds TEXT. Its
// thread is the main one from then on.
func sendCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	m, err := s.holding(strings.Join(args[1:], " "))
	if err != nil {
		return err
	}
	return s.Slack.Shortcut(s.Channel, m.TS, "send_to_bobbin", s.People[args[0]])
}

// react WHO EMOJI TEXT: puts an emoji under the newest message of the channel that holds
// TEXT; a minus before the emoji takes it away. Its thread is the main one from then on.
func reactCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	m, err := s.holding(strings.Join(args[2:], " "))
	if err != nil {
		return err
	}
	if emoji, off := strings.CutPrefix(args[1], "-"); off {
		return s.Slack.Unreact(s.Channel, m.TS, s.People[args[0]], emoji)
	}
	return s.Slack.React(s.Channel, m.TS, s.People[args[0]], args[1])
}

// holding is the newest message with that text, whosever thread it is in.
func (s *story) holding(text string) (found slacktest.Message, err error) {
	for _, root := range s.Slack.Channel(s.Channel) {
		for _, m := range s.Slack.Thread(s.Channel, root.TS) {
			if strings.Contains(s.Slack.Readable(m.Text), text) && m.TS > found.TS {
				found = m
				s.threads[mainThread] = root.TS
			}
		}
	}
	if found.TS == "" {
		err = fmt.Errorf("no message holds %q", text)
	}
	return found, err
}
