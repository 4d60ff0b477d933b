package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// askSeveral sets how many people have to approve, and who has to be among them. With these options two more
// members, cleo and dan, are in the channel, and dan is the group ops.
func (s *story) askSeveral(args []string, a *workflow.Approvers) {
	two := slices.Contains(args, "two-approvals")
	ops := slices.Contains(args, "needs-ops")
	if !two && !ops {
		return
	}
	for _, name := range []string{"cleo", "dan"} {
		if s.People[name] != "" {
			continue // the bot was started again
		}
		id := s.Slack.AddUser(slacktest.User{Name: name}).ID
		s.People[name] = id
		s.Names[id] = name
		if err := s.Slack.Join(s.Channel, id); err != nil {
			panic(err)
		}
	}
	if two {
		a.Needed = 2
	}
	if ops {
		if s.ops == "" {
			s.ops = s.Slack.AddGroup(slacktest.UserGroup{Handle: "ops", Users: []string{s.People["dan"]}}).ID
			s.Names[s.ops] = "ops"
		}
		a.Needs = []workflow.Need{{Name: "ops", Files: "deploy/**", From: []string{s.ops}}}
	}
}

// becomeCmd implements "become WHO deactivated|guest|member": that is what WHO is from now on.
func becomeCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return s.Slack.ChangeUser(s.People[args[0]], func(u *slacktest.User) {
		switch args[1] {
		case "deactivated":
			u.Deleted = true
		case "guest":
			u.Kind = slacktest.Guest
		case "member":
			u.Deleted = false
			u.Kind = slacktest.Member
		default:
			panic(fmt.Sprintf("become %s: nobody can become that", args[1]))
		}
	})
}
