package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// sendCmd implements "send WHO TEXT": WHO uses the shortcut on the newest message in the channel that
// contains TEXT. Its thread becomes the main thread.
func sendCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	m, err := s.holding(strings.Join(args[1:], " "))
	if err != nil {
		return err
	}
	return s.Slack.Shortcut(s.Channel, m.TS, "send_to_bobbin", s.People[args[0]])
}

// reactCmd implements "react WHO EMOJI TEXT": WHO puts an emoji under the newest message in the channel
// that contains TEXT; a minus before the emoji removes it. Its thread becomes the main thread.
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

// holding returns the newest message that contains the text, in any thread, and makes its thread the main
// one.
func (s *story) holding(text string) (found slacktest.Message, err error) {
	for _, root := range s.Slack.Channel(s.Channel) {
		for _, m := range s.Slack.Thread(s.Channel, root.TS) {
			if strings.Contains(harness.Unmarked(s.Slack.Readable(m.Text)), text) && m.TS > found.TS {
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
