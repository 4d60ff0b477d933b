package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/workflow"
)

// open waits for the newest open modal of a person that wanted accepts.
func (s *story) open(
	ctx context.Context, who string, wanted func(slacktest.View) bool,
) (found slacktest.View, err error) {
	err = s.Poll(ctx, func() (bool, error) {
		for _, v := range s.Slack.Views() {
			if v.Type == "modal" && v.User == s.People[who] && wanted(v) {
				found = v
			}
		}
		return found.ID != "", nil
	})
	if err != nil {
		return found, fmt.Errorf("%s has no such modal open: %w", who, err)
	}
	return found, nil
}

// modalCmd implements "modal WHO TEXT": WHO has a modal open that shows TEXT, also as an error. "! modal
// WHO": WHO has no modal open.
func modalCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	if len(args) == 1 {
		for _, v := range s.Slack.Views() {
			if v.Type == "modal" && v.User == s.People[args[0]] {
				return nil
			}
		}
		return errors.New("no modal is open")
	}
	text := strings.Join(args[1:], " ")
	_, err := s.open(ctx, args[0], func(v slacktest.View) bool {
		return strings.Contains(string(v.Blocks()), text) || strings.Contains(fmt.Sprint(v.Errors), text)
	})
	return err
}

// enterCmd implements "enter WHO INPUT=TEXT…": WHO fills in these inputs of the newest modal and submits
// it. If that is a modal of the App Home and is accepted, the command waits until the App Home shows it. The
// thread that a form begins in #bugs becomes the main thread.
func enterCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	v, err := s.open(ctx, args[0], func(slacktest.View) bool { return true })
	if err != nil {
		return err
	}
	entered := map[string]string{}
	for _, a := range args[1:] {
		name, text, _ := strings.Cut(a, "=")
		entered[name] = s.mentions(strings.ReplaceAll(text, `\n`, "\n"))
	}
	before := s.homesOf(v.User)
	known := len(s.Slack.Channel(s.Channel))
	if err := s.Slack.Submit(v.ID, entered); err != nil {
		return err
	}
	err = s.Slack.WaitSettled(ctx)
	if err == nil && workflow.IsReportForm(workflow.ActionID(v.CallbackID)) {
		s.mainBegan(known)
	}
	if err != nil || v.CallbackID != string(workflow.ButtonLesson) {
		return err
	}
	return s.Poll(ctx, func() (bool, error) {
		refused := slices.ContainsFunc(s.Slack.Views(),
			func(open slacktest.View) bool { return open.ID == v.ID && len(open.Errors) > 0 })
		return refused || s.homesOf(v.User) > before, nil
	})
}

// dismissCmd implements "dismiss WHO": WHO closes the newest modal without submitting it.
func dismissCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	v, err := s.open(ctx, args[0], func(slacktest.View) bool { return true })
	if err != nil {
		return err
	}
	return s.Slack.Dismiss(v.ID)
}

// refuseCmd implements "refuse METHOD CODE": Slack answers the next call of that method with that error.
func refuseCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	s.Slack.Order(slacktest.Fault{Method: args[0], Error: args[1]})
	return nil
}

// nameApprovers returns the ids of bea, of a group that bea is in, and of ann.
func (s *story) nameApprovers() []string {
	if s.leads == "" {
		s.leads = s.Slack.AddGroup(slacktest.UserGroup{Handle: "leads", Users: []string{s.People["bea"]}}).ID
		s.Names[s.leads] = "leads"
	}
	return []string{s.People["bea"], s.leads, s.People["ann"]}
}

// uncalled removes the allowed mentions from a post's problems: those of approvers that the configuration
// names, and those of people who know the code or made a commit, if the configuration has them mentioned.
func (s *story) uncalled(problems []string) []string {
	if s.leads == "" && s.ops == "" &&
		(s.Service == nil || !s.Service.Runner.Repositories[0].MentionsOwners) &&
		len(s.Settings().MentionAuthors) == 0 {
		return problems
	}
	called := []string{
		"calls somebody: <!subteam^" + s.leads + ">", "calls somebody: <!subteam^" + s.ops + ">",
	}
	for _, id := range s.People {
		called = append(called, "calls somebody: <@"+id+">")
	}
	return slices.DeleteFunc(problems, func(p string) bool { return slices.Contains(called, p) })
}

// called implements "called FILE": the mentions in the bot's messages in the main thread, one message a
// line, in the order of posting.
func called(_ context.Context, s *story) (string, error) {
	var all strings.Builder
	for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
		if list := harness.Markup.FindAllString(m.Text, -1); m.BotID == s.Slack.App().BotID && len(list) > 0 {
			all.WriteString(s.Slack.Readable(strings.Join(list, " ")) + "\n")
		}
	}
	return all.String(), nil
}

// leaveCmd implements "leave [in THREAD] WHO…": WHO leaves the channel.
func leaveCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	thread := mainThread
	if len(args) > 2 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	for _, who := range args {
		if err := s.Slack.Leave(s.channelOf(thread), s.People[who]); err != nil {
			return err
		}
	}
	return nil
}
