package playground

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/story"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow"
)

func (p *Playground) demoStory() *story.Story {
	return &story.Story{
		Slack:   p.Stage.Slack,
		Channel: p.Stage.Channel,
		People:  p.Stage.People,
		State:   p.state,
		Opening: story.Line{
			ID:    "report",
			Who:   "ann",
			Says:  stage.DemoReport,
			Label: "Ann reports a bug, and Bobbin looks into it",
		},
		Lines: storyLines(),
	}
}

func storyLines() []story.Line {
	return []story.Line{
		{
			ID: "approve-first", Who: "bea", Says: stage.DemoApproval,
			When:  func(s story.State) bool { return s.Waits() && !s.Corrected },
			Label: "Bea approves at once: Bobbin fixes what is known so far",
		},
		{
			ID: "approve", Who: "bea", Says: stage.DemoApproval,
			When:  func(s story.State) bool { return s.Waits() && s.Corrected },
			Label: "Bea may approve: Bobbin fixes it, proves it and pushes",
		},
		{
			ID: "push", Who: "bea", Says: "push all the same",
			When:  func(s story.State) bool { return s.Objected && s.Phase != workflow.PhaseStopped },
			Label: "Bea has it pushed anyway", Once: true,
		},
		{
			ID: "go-on", Who: "bea", Says: "go on",
			When: func(s story.State) bool {
				return s.Phase == workflow.PhaseStopped && !s.Pushed && !s.AtWork
			},
			Label: "Bea lets it go on where it stopped",
		},
		{
			ID: "correct", Who: "bea", Says: stage.DemoCorrection,
			When:  func(s story.State) bool { return s.Waits() && !s.Corrected },
			Label: "A second person knows more: Bobbin looks again",
			Once:  true, Other: true,
		},
		{
			ID: "ask", Who: "ann", Says: "is the receipt of order 1042 wrong, too?",
			When:  story.State.Waits,
			Label: "Ann asks: Bobbin looks and answers, and nothing else changes",
			Once:  true, Other: true,
		},
		{
			ID: "guest", Who: "gus", Says: "fix it",
			When:  story.State.Waits,
			Label: "A guest tries to approve",
			Once:  true, Other: true, Alone: true,
		},
		{
			ID: "object", Who: "ann", Says: "I don't think so",
			When:  func(s story.State) bool { return s.Fixes() && !s.Objected },
			Label: "Ann objects: nothing is pushed before an approver has seen it",
			Once:  true, Other: true,
		},
		{
			ID: "why", Who: "ann", Says: "why so large?",
			When:  func(s story.State) bool { return s.Phase == workflow.PhaseDone && !s.AtWork },
			Label: "Ann asks: an agent that only reads explains the change",
			Once:  true, Other: true,
		},
		{
			ID: "review", Who: "bea", Says: "review it",
			When:  func(s story.State) bool { return s.Phase == workflow.PhaseDone && !s.AtWork },
			Label: "Bea has the change reviewed once more",
			Once:  true, Other: true,
		},
		{
			ID: "stop", Who: "ann", Says: "stop",
			When: func(s story.State) bool {
				return !s.Over() && s.Phase != workflow.PhaseDone && s.Phase != workflow.PhaseStopped
			},
			Label: "Ann stops it: nothing is changed",
			Other: true,
		},
	}
}

// state returns what is stored of a thread. If that cannot be read, nothing is.
func (p *Playground) state(thread string) (s story.State) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	sessions, err := p.Stage.Store.Sessions(ctx, 50)
	at := slices.IndexFunc(sessions,
		func(s workflow.Session) bool { return s.Thread.TS == thread && s.PartOf == "" })
	if err != nil || at < 0 {
		return s
	}
	one := sessions[at]
	s.Phase = one.Phase
	s.Pushed = one.Pushed
	s.AtWork = p.Stage.Slack.Status(one.Thread.Channel, thread) != ""
	if r, err := p.Stage.Store.Report(ctx, one.ID, one.Revision); err == nil {
		s.Corrected = strings.Contains(r.Text, "PerLine") // the second place
	}
	if a, err := p.Stage.Store.Approval(ctx, one.ID, one.Revision); err == nil && a != nil {
		list, err := p.Stage.Store.Objections(ctx, a.ID, "")
		s.Objected = err == nil && len(list) > 0
	}
	return s
}
