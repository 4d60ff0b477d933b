package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// aloneCmd implements "alone WHO TEXT": waits until the bot shows TEXT in the thread to WHO alone.
func aloneCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	text := strings.Join(args[1:], " ")
	err := s.Poll(ctx, func() (bool, error) {
		for _, m := range s.Slack.Whispers() {
			if m.To == s.People[args[0]] && strings.Contains(s.Slack.Readable(m.Message.Text), text) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waited for %q: %w", text, err)
	}
	return nil
}

// alone returns what the bot has shown in a thread to one person alone.
func (s *story) alone(thread string) (list []slacktest.Change) {
	for _, m := range s.Slack.Whispers() {
		if m.Message.Channel == s.channelOf(thread) && m.Message.ThreadTS == s.threads[thread] {
			list = append(list, m)
		}
	}
	return list
}

// exportAlone returns what the bot has shown in a thread to one person alone, in order, one message each.
func (s *story) exportAlone(thread string) string {
	names := map[string]string{}
	for name, id := range s.People {
		names[id] = name
	}
	var b strings.Builder
	for _, m := range s.alone(thread) {
		text := harness.Unmarked(s.Slack.Readable(m.Message.Text))
		fmt.Fprintf(&b, "bobbin, to %s alone: %s\n", names[m.To], strings.ReplaceAll(text, "\n", "\n    "))
	}
	return b.String()
}

// shownAlone implements "shown-alone FILE": what the bot has shown to one person alone, one per line.
func shownAlone(_ context.Context, s *story) (string, error) {
	names := map[string]string{}
	for name, id := range s.People {
		names[id] = name
	}
	var b strings.Builder
	for _, m := range s.Slack.Whispers() {
		fmt.Fprintf(&b, "%s: %s\n", names[m.To], s.Slack.Readable(m.Message.Text))
	}
	return b.String(), nil
}
