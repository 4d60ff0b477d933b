package slacktest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// A test acts for the people; the app is any program that speaks Slack.
func Example() {
	s := slacktest.New(slacktest.Config{AppName: "helper"})
	defer s.Close()
	ada := s.AddUser(slacktest.User{Name: "ada"})
	bugs := s.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{ada.ID, s.App().BotUser}})
	root, err := s.Say("bugs", ada.ID, s.Mention()+" checkout fails", "")
	if err != nil {
		fmt.Println(err)
		return
	}

	// The app, which would get the mention over Socket Mode, replies.
	app := slack.New(s.App().BotToken, slack.OptionAPIURL(s.URL()))
	s.Order(slacktest.Fault{Method: "chat.postMessage", Status: 503})
	for range 2 {
		_, _, err = app.PostMessage(bugs.ID, slack.MsgOptionText("Looking", false), slack.MsgOptionTS(root))
		fmt.Println("posted:", err == nil)
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := s.WaitFor(ctx, "bugs", root,
		func(thread []slacktest.Message) bool { return len(thread) == 2 }); err != nil {
		fmt.Println(err)
	}
	fmt.Print(s.ExportText("bugs", root))
	// Output:
	// posted: false
	// posted: true
	// #bugs
	// ada: @helper checkout fails
	//   helper [app]: Looking
}
