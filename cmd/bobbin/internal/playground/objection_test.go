package playground

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// TestTheStoryAnswersObjections checks that the story has an answer for people who object to approved work,
// who take the objection back, who have it pushed all the same, and who stop it and let it go on.
func TestTheStoryAnswersObjections(t *testing.T) {
	t.Parallel()
	p := openPlayground(t, nil)
	for name, play := range map[string]func(th talk){
		"the objection is taken back": func(th talk) {
			th.react("ann", "x", "Revision 1 approved by bea", p.Stage.Slack.React)
			th.reads("somebody objected")
			th.react("ann", "x", "Revision 1 approved by bea", p.Stage.Slack.Unreact)
		},
		"pushed all the same": func(th talk) {
			th.react("ann", "-1", "Revision 1 approved by bea", p.Stage.Slack.React)
			th.reads("somebody objected")
			th.says("bea", "push all the same")
		},
		"passed on, and pushed all the same": func(th talk) {
			th.says("ann", "I don't think so")
			th.reads("somebody objected")
			th.presses("bea", "Pass it on")
			th.reads("That names nothing that I could change")
			th.presses("bea", "Push all the same")
		},
		"stopped in mid-work": func(th talk) {
			th.reads("Reading Split")
			th.says("ann", "stop")
			th.reads("Stopped, as ann asked.")
			th.says("bea", "go on")
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "pushed all the same", "stopped in mid-work")
			t.Parallel()
			th := talk{T: t, p: p, ctx: harness.Soon(t), ts: new(string)}
			th.says("ann", stage.DemoReport)
			th.reads("revision 1 · nothing")
			th.says("bea", "fix it")
			th.reads("Revision 1 approved by bea")
			play(th)
			th.reads("and pushed:")
			for _, m := range p.Stage.Slack.Thread(p.Stage.Channel, *th.ts) {
				require.NotContains(t, m.Text, "PerLine", "revision 1 does not change it")
			}
		})
	}
}

// TestTheStoryAnswersOtherWays checks that the story has an answer for people who stop it before an approval
// and let it go on, who want a Diagnosis Report before and after the correction, who limit what they approve,
// and who have the change reviewed.
func TestTheStoryAnswersOtherWays(t *testing.T) {
	t.Parallel()
	p := openPlayground(t, nil)
	for name, play := range map[string]func(th talk){
		"stopped while it looks": func(th talk) {
			th.reads("Following `shop refund`")
			th.says("ann", "stop")
			th.reads("Stopped, as ann asked.")
			th.says("bea", "go on")
			th.reads("revision 1 · nothing")
		},
		"stopped at both reports": func(th talk) {
			th.reads("revision 1 · nothing")
			th.says("ann", "stop")
			th.reads("Revision 1 was not begun")
			th.says("bea", "go on")
			th.reads("revision 2 · nothing")
			th.says("bea", stage.DemoCorrection)
			th.reads("revision 3 · nothing")
			th.says("ann", "stop")
			th.reads("Revision 3 was not begun")
			th.says("bea", "go on")
			th.reads("revision 4 · nothing")
		},
		"diagnosed": func(th talk) {
			th.reads("revision 1 · nothing")
			th.says("bea", "/diagnose this")
			th.reads("revision 2 · nothing")
			th.says("bea", stage.DemoCorrection)
			th.reads("revision 3 · nothing")
		},
		"diagnosed after the correction, limited, reviewed": func(th talk) {
			th.reads("revision 1 · nothing")
			th.says("bea", stage.DemoCorrection)
			th.reads("revision 2 · nothing")
			th.says("bea", "/diagnose this")
			th.reads("revision 3 · nothing")
			th.says("bea", "fix it, but leave percent coupons alone")
			th.reads("Review: nothing found")
			th.says("bea", "review it")
			th.reads("Reviewed: nothing found")
		},
	} {
		t.Run(name, func(t *testing.T) {
			harness.InSample(t, name, "stopped while it looks",
				"diagnosed after the correction, limited, reviewed")
			t.Parallel()
			th := talk{T: t, p: p, ctx: harness.Soon(t), ts: new(string)}
			th.says("ann", stage.DemoReport)
			play(th)
			for _, m := range p.Stage.Slack.Thread(p.Stage.Channel, *th.ts) {
				require.NotContains(t, m.Text, "No model is connected")
			}
		})
	}
}

// A talk is a thread of the story in which a test plays the people.
type talk struct {
	*testing.T
	p   *Playground
	ctx context.Context
	ts  *string // of the thread's first message
}

// says writes a message in the thread. The first one begins the thread.
func (t talk) says(who, text string) {
	t.Helper()
	s := t.p.Stage
	if *t.ts == "" {
		text = s.Slack.Mention() + " " + text
	}
	ts, err := s.Slack.Say(s.Channel, s.People[who], text, *t.ts)
	require.NoError(t, err)
	*t.ts = cmp.Or(*t.ts, ts)
}

// react adds or removes an emoji at the message with that text.
func (t talk) react(who, emoji, text string, change func(channel, ts, user, emoji string) error) {
	t.Helper()
	m := t.reads(text)
	require.NoError(t, change(t.p.Stage.Channel, m.TS, t.p.Stage.People[who], emoji))
}

// presses presses a button below the newest message that has one with that label.
func (t talk) presses(who, label string) {
	t.Helper()
	s := t.p.Stage
	for _, m := range slices.Backward(s.Slack.Thread(s.Channel, *t.ts)) {
		for _, c := range m.Controls() {
			if c.Text == label {
				require.NoError(t, s.Slack.Click(s.Channel, m.TS, c.ActionID, s.People[who]))
				return
			}
		}
	}
	require.Fail(t, "no message has the button "+label)
}

// reads waits until a message of the bot in the thread contains the text.
func (t talk) reads(text string) (found slacktest.Message) {
	t.Helper()
	changes := t.p.Stage.Slack.Watch(t.ctx)
	for {
		all := t.p.Stage.Slack.Thread(t.p.Stage.Channel, *t.ts)
		for _, m := range all {
			if m.BotID != "" && strings.Contains(m.Text, text) {
				return m
			}
		}
		select {
		case <-changes:
		case <-t.ctx.Done():
			var said []string
			for _, m := range all {
				said = append(said, m.Text)
			}
			t.Fatalf("nobody said %q, but:\n%s", text, strings.Join(said, "\n"))
		}
	}
}
