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
	return s.slack.Shortcut(s.channel, m.TS, "send_to_bobbin", s.people[args[0]])
}

// react WHO EMOJI TEXT: puts an emoji under the newest message of the channel that holds
// TEXT; a minus before the emoji takes it away. Its thread is the main one from then on.
func reactCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	m, err := s.holding(strings.Join(args[2:], " "))
	if err != nil {
		return err
	}
	if emoji, off := strings.CutPrefix(args[1], "-"); off {
		return s.slack.Unreact(s.channel, m.TS, s.people[args[0]], emoji)
	}
	return s.slack.React(s.channel, m.TS, s.people[args[0]], args[1])
}

// holding is the newest message with that text, whosever thread it is in.
func (s *story) holding(text string) (found slacktest.Message, err error) {
	for _, root := range s.slack.Channel(s.channel) {
		for _, m := range s.slack.Thread(s.channel, root.TS) {
			if strings.Contains(s.slack.Readable(m.Text), text) && m.TS > found.TS {
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
