package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow"
)

// setChannel configures what counts as a report in #bugs besides mentions: with "marked", messages with an
// emoji; with "feeds", messages of an installed app. With "shop-channel", #bugs is the shop's channel.
func (s *story) setChannel(args []string, set *server.Settings) {
	if slices.Contains(args, "shop-channel") {
		set.Repositories[0].Channels = []string{s.Channel}
	}
	if slices.Contains(args, "private-shop") {
		shop := &set.Repositories[0]
		shop.Private = true
		shop.Channels = []string{
			s.AddChannel(slacktest.Channel{Name: stage.StageChannel}),
			s.AddChannel(slacktest.Channel{Name: "payments", Members: []string{
				s.People["ann"], s.People["bea"], s.Slack.App().BotUser,
			}}),
		}
		s.channels["payments"] = shop.Channels[1]
	}
	if slices.Contains(args, "marked") {
		set.Reactions = map[string][]string{"#" + stage.StageChannel: {"bug"}}
	}
	if !slices.Contains(args, "feeds") {
		return
	}
	if s.People["sentry"] == "" { // after a restart the app exists already
		s.People["sentry"] = s.Slack.AddBot(slacktest.User{Name: "Sentry", AppID: "A0SENTRY"}).ID
	}
	set.Feeds = []workflow.Feed{{
		Channel: "#" + stage.StageChannel, Repository: set.Repositories[0].Name, Apps: []string{"A0SENTRY"},
	}}
}

// alertCmd implements "alert APP in THREAD FILE": the app posts the text, blocks and attachments of the
// file, which is JSON. The first message in a thread becomes its root.
func alertCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	if len(args) != 4 || args[1] != "in" {
		return fmt.Errorf("usage: alert APP in THREAD FILE")
	}
	var m slacktest.Message
	if err := json.Unmarshal([]byte(ts.ReadFile(args[3])), &m); err != nil {
		return err
	}
	m.ThreadTS = s.threads[args[2]]
	posted, err := s.Slack.PostAsBot(s.Channel, s.People[args[0]], m)
	if err == nil && s.threads[args[2]] == "" {
		s.threads[args[2]] = posted
	}
	return err
}
