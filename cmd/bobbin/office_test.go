package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// withClock gives the local Slack the story's clock.
func (s *story) withClock(cfg *stage.Config) {
	before := cfg.Slack
	cfg.Slack = func(c *slacktest.Config) {
		before(c)
		c.Now = func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	}
}

// clockCmd implements "clock TIME": Slack's clock is set to TIME, as in RFC 3339, and goes on from there.
func clockCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	at, err := time.Parse(time.RFC3339, args[0])
	s.ahead.Store(int64(time.Until(at)))
	return err
}

// zoneCmd implements "zone WHO ZONE": WHO is in that time zone.
func zoneCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return s.Slack.ChangeUser(s.People[args[0]], func(u *slacktest.User) { u.TZ = args[1] })
}

// channelCmd implements "channel [private] THREAD [TOPIC]": the thread of that name will be in a channel of
// the same name, which ann, bea and the bot are in. "channel becomes KIND": that is what #bugs is from now
// on: private, im or shared.
func channelCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	if args[0] == "becomes" {
		return s.Slack.ChangeChannel(s.Channel, func(ch *slacktest.Channel) {
			ch.Shared = args[1] == "shared"
			ch.Kind = slacktest.Public
			if !ch.Shared {
				ch.Kind = slacktest.ChannelKind(args[1])
			}
		})
	}
	if args[0] == "direct" {
		ch, err := s.Slack.OpenIM(s.People[args[1]])
		for _, thread := range args[2:] {
			s.channels[thread] = ch.ID
		}
		return err
	}
	ch := slacktest.Channel{Members: []string{s.People["ann"], s.People["bea"], s.Slack.App().BotUser}}
	if args[0] == "private" {
		ch.Kind = slacktest.Private
		args = args[1:]
	}
	ch.Name = args[0]
	ch.Topic = strings.Join(args[1:], " ")
	s.channels[ch.Name] = s.AddChannel(ch)
	return nil
}

// begunCmd implements "begun CHANNEL OLD": waits until the bot has begun a thread in the channel of the
// thread CHANNEL, which is the main thread from then on. The main thread before it has the name OLD from then
// on.
func begunCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	channel := s.channels[args[0]]
	return s.Poll(ctx, func() (bool, error) {
		for _, m := range s.Slack.Channel(channel) {
			if m.BotID == s.Slack.App().BotID && m.ThreadTS == "" {
				s.channels[args[1]] = s.Channel
				s.threads[args[1]] = s.threads[mainThread]
				s.Channel = channel
				s.threads[mainThread] = m.TS
				return true, nil
			}
		}
		return false, nil
	})
}

// channelOf returns the id of the channel that a thread is in.
func (s *story) channelOf(thread string) string { return cmp.Or(s.channels[thread], s.Channel) }

// chatBytes is how long the messages of chat are at least: some dozens of them are a long thread.
const chatBytes = 400

// chatCmd implements "chat in THREAD COUNT WHO,… TEXT": these people take turns to write that many long
// messages, each with TEXT and its number.
func chatCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	if len(args) < 5 || args[0] != "in" {
		return fmt.Errorf("usage: chat in THREAD COUNT WHO,… TEXT")
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	people := strings.Split(args[3], ",")
	text := strings.Join(args[4:], " ")
	long := strings.Repeat(text+", ", chatBytes/len(text)+1)
	for n := range count {
		said := fmt.Sprintf("%s and again %d", long, n+1)
		if err := sayCmd(ctx, s, ts, []string{people[n%len(people)], "in", args[1], said}); err != nil {
			return err
		}
	}
	return nil
}
