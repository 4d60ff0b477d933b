package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

var (
	shownTime = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC`)
	threadAt  = regexp.MustCompile(`https://\S+/archives/(\w+)/p(\d+)(\d{6})`)
)

// homeCmd implements "home WHO FILE": the App Home that WHO sees on opening it now, one block a line. A
// link to a message that exists in the channel becomes <message>.
func homeCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	user := s.People[args[0]]
	before := s.homesOf(user)
	if err := s.Slack.OpenHome(user); err != nil {
		return err
	}
	if err := s.Poll(ctx, func() (bool, error) { return s.homesOf(user) > before, nil }); err != nil {
		return err
	}
	return s.show(ctx, ts, args[1], s.homeText(user))
}

// homesOf returns how many times the user's App Home was published.
func (s *story) homesOf(user string) (n int) {
	for _, r := range s.Slack.Requests("views.publish") {
		if r.Status == 200 && strings.Contains(r.Args.Get("user_id"), user) {
			n++
		}
	}
	return n
}

// A homeBlock is what a person sees of one block of an App Home.
type homeBlock struct {
	Type      string
	Text      struct{ Text string }
	Elements  []homeButton // of a row of buttons
	Accessory *homeButton  // beside a text
}

type homeButton struct{ Text struct{ Text string } }

// buttons returns the labels of the block's buttons, each in brackets after a space.
func (b homeBlock) buttons() (shown string) {
	list := b.Elements
	if b.Accessory != nil {
		list = append(list, *b.Accessory)
	}
	for _, x := range list {
		shown += " [" + x.Text.Text + "]"
	}
	return shown
}

func (s *story) homeText(user string) string {
	var out strings.Builder
	for _, v := range s.Slack.Views() {
		if v.Type != "home" || v.User != user {
			continue
		}
		var blocks []homeBlock
		if err := json.Unmarshal(v.Blocks(), &blocks); err != nil {
			return err.Error()
		}
		for _, b := range blocks {
			mark := map[string]string{"header": "# "}[b.Type]
			text := threadAt.ReplaceAllStringFunc(b.Text.Text, func(link string) string {
				m := threadAt.FindStringSubmatch(link)
				if len(s.Slack.Thread(m[1], m[2]+"."+m[3])) > 0 {
					return "<message>"
				}
				return link
			})
			text = strings.ReplaceAll(text, "<<message>|", "<message|")
			text = mark + strings.ReplaceAll(s.Slack.Readable(text), "\n", "\n    ")
			out.WriteString(strings.TrimSpace(text+b.buttons()) + "\n")
		}
	}
	return shownTime.ReplaceAllString(out.String(), "<when>")
}

// pressCmd implements "press WHO ACTION VALUE": WHO presses that button of their App Home, as it was last
// opened. #bugs as VALUE is the id of that channel.
func pressCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	value := args[2]
	if value == "#"+stage.StageChannel {
		value = s.Channel
	}
	if err := s.Slack.ClickHome(s.People[args[0]], args[1], value); err != nil {
		return err
	}
	return s.Slack.WaitSettled(ctx)
}
