package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
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
