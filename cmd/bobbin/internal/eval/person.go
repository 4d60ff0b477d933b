package eval

import (
	"context"
	"errors"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// The texts that the simulated person writes besides the report and its corrections.
const (
	approval  = "fix it"
	allowance = "push it"
	honest    = "I cannot say more than the report says; decide yourself."
)

// maxWords limits the person's approvals, push permissions and confirmations, so that a bot that asks for
// the same word again and again is not answered for ever.
const maxWords = 6

// An ending describes how a thread ended.
type ending struct {
	why     string
	thread  string // timestamp of the report
	session workflow.Session
}

// A person is the simulated reporter of a task, who says little.
type person struct {
	corrections []string
	answers     int // remaining answers to questions
	words       int // remaining approvals, push permissions and confirmations
}

// talk posts the report, then replies each time the stage is settled, until the person has nothing more to
// say or a limit is reached.
func (a *attempt) talk(ctx context.Context) (e ending, err error) {
	p := &person{corrections: a.task.Corrections, answers: *a.task.Answers, words: maxWords}
	say := func(text string) (string, error) {
		return a.Slack.Say(a.Channel, a.People["ann"], text, e.thread)
	}
	if e.thread, err = say(a.Slack.Mention() + " " + strings.TrimSpace(a.task.Report)); err != nil {
		return e, err
	}
	for {
		err := a.WaitSettled(ctx)
		if limit := context.Cause(ctx); limit != nil {
			return a.broken(ctx, e, limit)
		} else if err != nil {
			return e, err
		}
		if e.session, err = a.session(ctx); err != nil {
			return e, err
		}
		text, why := p.next(e.session.Phase, a.waiting(e.thread))
		if text == "" {
			e.why = why
			if last := a.lastLine(e.thread); last != "" {
				e.why += ": " + last
			}
			return e, nil
		}
		if _, err := say(text); err != nil {
			return e, err
		}
	}
}

// broken returns the ending of a thread that reached a limit, and halts the bot. What was pushed before
// counts.
func (a *attempt) broken(ctx context.Context, e ending, limit error) (ending, error) {
	if errors.Is(limit, context.Canceled) {
		return e, limit
	}
	var err error
	if e.session, err = a.session(context.WithoutCancel(ctx)); err != nil {
		return e, err
	}
	e.why = limit.Error()
	return e, a.Halt() // no model is called from here on
}

func (a *attempt) session(ctx context.Context) (workflow.Session, error) {
	all, err := a.Store.Sessions(ctx, 1)
	if err == nil && len(all) == 0 {
		err = errors.New("the report began no session")
	}
	if err != nil {
		return workflow.Session{}, err
	}
	return all[0], nil
}

// What a thread waits for, by the action IDs of its buttons.
const (
	waitsForApproval  = string(workflow.ButtonFix)
	waitsForPush      = string(workflow.ButtonPush)
	waitsForUnproven  = waitsForPush + ", unproven"
	waitsForConfirmed = string(workflow.ButtonConfirm)
	waitsForMore      = string(workflow.ButtonGoOn)
)

// waiting returns what the newest of the bot's messages with a decision button waits for, or an empty string
// if none waits.
func (a *attempt) waiting(thread string) string {
	messages := a.Slack.Thread(a.Channel, thread)
	for i := len(messages) - 1; i >= 0; i-- {
		for _, c := range messages[i].Controls() {
			switch name, _, _ := strings.Cut(c.ActionID, ":"); {
			case name == waitsForPush && strings.Contains(c.Text, "unproven"):
				return waitsForUnproven
			case name == waitsForApproval, name == waitsForPush, name == waitsForConfirmed,
				name == waitsForMore:
				return name
			}
		}
	}
	return ""
}

// lastLine returns the first line of the bot's newest message.
func (a *attempt) lastLine(thread string) string {
	messages := a.Slack.Thread(a.Channel, thread)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].BotID == a.Slack.App().BotID {
			line, _, _ := strings.Cut(a.Slack.Readable(messages[i].Text), "\n")
			return line
		}
	}
	return ""
}

// next returns the person's next text in a settled thread, or the reason why the person says nothing more.
func (p *person) next(phase workflow.Phase, waiting string) (text, why string) {
	switch {
	case phase == workflow.PhaseDone:
		return "", "pushed"
	case phase == workflow.PhaseFailed:
		return "", "it gave up"
	case phase == workflow.PhaseStopped:
		return "", "it was stopped"
	case waiting == waitsForUnproven:
		return "", "blocked, since nothing can be proven"
	case waiting == waitsForApproval && len(p.corrections) > 0:
		text, p.corrections = p.corrections[0], p.corrections[1:]
		return text, ""
	case waiting == waitsForApproval:
		return p.word(approval)
	case waiting == waitsForPush:
		return p.word(allowance)
	case waiting == waitsForConfirmed:
		return p.word("go ahead")
	case phase == workflow.PhasePaused:
		return "", "it paused"
	case p.answers > 0:
		p.answers--
		return honest, ""
	}
	return "", "it went quiet"
}

func (p *person) word(text string) (string, string) {
	if p.words == 0 {
		return "", "it asked again and again"
	}
	p.words--
	return text, ""
}
