package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// A Presser presses the buttons that threads show, one after another, as one person, and finds presses that
// nothing answers. An answer is a message, a change of one, words for that person alone, or a modal.
type Presser struct {
	Slack *slacktest.Server
	Who   string // id of the person
	// Rests waits until nothing more happens before a person writes.
	Rests func(context.Context) error
	// Unhelpful matches what is no answer; nil: that something failed, or is to be asked again.
	Unhelpful *regexp.Regexp

	pressed map[Button]bool
}

// A Button is a button, or one option of a menu, under a message of the bot.
type Button struct{ Channel, TS, Action, Value, Label string }

var unhelpful = regexp.MustCompile(`(?i)ask again in a moment|failed on my side|no explanation|` +
	`script was not followed`)

// Press presses every button that the threads show and that wanted accepts, until none is left that was not
// pressed. What only shows something comes first, and what ends the work last. It returns how many it
// pressed, and what is wrong with the answers.
func (p *Presser) Press(
	ctx context.Context, threads []Thread, wanted func(Button) bool,
) (n int, faults []string) {
	if p.pressed == nil {
		p.pressed = map[Button]bool{}
	}
	for ; ctx.Err() == nil; n++ {
		all := slices.DeleteFunc(p.buttons(threads),
			func(b Button) bool { return p.pressed[b] || !wanted(b) })
		if len(all) == 0 {
			return n, faults
		}
		b := slices.MinFunc(all, func(a, b Button) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.TS, b.TS))
		})
		p.pressed[b] = true
		if fault := p.press(ctx, b); fault != "" {
			faults = append(faults, fmt.Sprintf("a press of %q (%s) %s", b.Label, b.Action, fault))
		}
	}
	return n, append(faults, "the time was over")
}

// Is reports whether the button has one of the actions.
func (b Button) Is(actions ...workflow.ActionID) bool {
	return slices.ContainsFunc(actions, func(id workflow.ActionID) bool {
		return strings.HasPrefix(b.Action, string(id)) || strings.HasPrefix(b.Value, string(id))
	})
}

// Shows reports whether the button only shows or asks something, or opens a modal.
func (b Button) Shows() bool {
	return b.Is(workflow.ButtonDetails, workflow.ButtonCorrect, workflow.ButtonFixLimited,
		workflow.ButtonRepository, workflow.ButtonBase, workflow.ButtonShowDiff, workflow.ButtonExplain,
		workflow.ButtonConsult)
}

func (b Button) rank() int {
	switch {
	case b.Is(workflow.ButtonStop):
		return 3
	case b.Shows():
		return 1
	}
	return 2
}

func (p *Presser) buttons(threads []Thread) (list []Button) {
	for _, t := range threads {
		for _, m := range p.Slack.Thread(t.Channel, t.Root) {
			if m.BotID == p.Slack.App().BotID {
				list = append(list, buttonsOf(t.Channel, m)...)
			}
		}
	}
	return list
}

func buttonsOf(channel string, m slacktest.Message) (list []Button) {
	for _, c := range m.Controls() {
		if c.URL != "" { // the browser opens it
			continue
		}
		b := Button{Channel: channel, TS: m.TS, Action: c.ActionID, Label: c.Text}
		if len(c.Options) == 0 {
			list = append(list, b)
		}
		for _, o := range c.Options {
			b.Value = o.Value
			b.Label = o.Text
			list = append(list, b)
		}
	}
	return list
}

// press presses the button, and returns what is wrong with the answer, or an empty string.
func (p *Presser) press(ctx context.Context, b Button) string {
	before := p.seen()
	var err error
	if b.Value == "" {
		err = p.Slack.Click(b.Channel, b.TS, b.Action, p.Who)
	} else {
		err = p.Slack.Choose(b.Channel, b.TS, b.Action, p.Who, b.Value)
	}
	if err != nil {
		return "is not possible: " + err.Error()
	}
	if err := p.Rests(ctx); err != nil {
		return fmt.Sprintf("comes to no end: %v", err)
	}
	fresh := slices.DeleteFunc(p.seen(), func(one string) bool { return slices.Contains(before, one) })
	for _, v := range p.Slack.Views() {
		if v.Type == "modal" && v.User == p.Who {
			_ = p.Slack.Dismiss(v.ID)
		}
	}
	if len(fresh) == 0 {
		return "is answered by nothing"
	}
	bad := p.Unhelpful
	if bad == nil {
		bad = unhelpful
	}
	for _, one := range fresh {
		if bad.MatchString(one) {
			return "is answered by: " + one
		}
	}
	return ""
}

// seen returns what the person sees: messages as they look now, words for that person alone, and open modals.
func (p *Presser) seen() (list []string) {
	for _, ch := range p.Slack.Channels() {
		for _, root := range p.Slack.Channel(ch.ID) {
			for _, m := range p.Slack.Thread(ch.ID, root.TS) {
				files, _ := json.Marshal(m.Files)
				list = append(list, fmt.Sprintf("%s %s\n%s %s", m.TS, m.Text, m.Blocks, files))
			}
		}
	}
	for i, m := range p.Slack.Whispers() {
		if m.To == p.Who {
			list = append(list, fmt.Sprintf("whisper %d: %s", i, m.Message.Text))
		}
	}
	for _, v := range p.Slack.Views() {
		if v.Type == "modal" && v.User == p.Who {
			list = append(list, "modal "+v.ID+string(v.Blocks()))
		}
	}
	return list
}
