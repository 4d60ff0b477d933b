package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// JudgeAll judges and records each message that was not judged yet, in order of arrival. The program
// itself acts on consent, stops and presses; everything else goes to the agents. It runs at the start of
// a turn and before each model call, so a correction is never later than that.
func (j *Judge) JudgeAll(ctx context.Context) error {
	j.judging.Lock()
	defer j.judging.Unlock()
	j.writers = map[string]workflow.Person{}
	defer func() { j.writers = nil }()
	messages, err := j.Inbox().Unhandled(ctx)
	if err != nil {
		return err
	}
	if len(messages) > 0 { // who may decide depends on the channel in which it goes on
		if err := j.Refresh(ctx); err != nil {
			return err
		}
	}
	for _, unread := range messages {
		m := j.Read(unread)
		parts, err := j.JudgeMessage(ctx, m)
		if err != nil {
			return err
		}
		failpoint.Crash("message_judged")
		err = j.Record(ctx, j.withSign(m, parts)...)
		if errors.Is(err, store.ErrStale) {
			said := "That does not count any more; something newer was said or shown."
			if _, approves := ledger.Find[consent.Approval](parts); approves {
				said = "That revision cannot be approved any more; the newest report is the one that counts."
			} else if _, narrows := ledger.Find[consent.Narrowing](parts); narrows {
				said = "That limit came too late: the change is being pushed."
			}
			err = j.Record(ctx, j.Refuse(m, workflow.Person{ID: m.User}, workflow.DecideApprove,
				"this revision cannot be approved any more", said+prompt.EnteredText(m.Message))...)
		}
		if err != nil {
			return err
		}
		failpoint.Crash("message_handled")
		j.Judged(m, parts)
	}
	return nil
}

// Read reads the words of a message.
func (j *Judge) Read(m workflow.Message) intent.Message {
	if m.Kind == workflow.MessageAlert { // an app's words mean nothing here
		return intent.Message{Message: m}
	}
	return j.Words.ReadMessage(m, j.ConsultantName())
}

// JudgeMessage returns the parts that follow from one message.
func (j *Judge) JudgeMessage(ctx context.Context, m intent.Message) ([]store.Part, error) {
	m, to, err := j.addressed(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("whom a message is for: %w", err)
	}
	c := j.newCase(ctx, m)
	c.to = to
	return j.judgeBy(ctx, eventRules(), c)
}

// withAdditions returns a judgement with what follows beside it: an objection that the message also has, or
// the end of one; whether it may open a stopped or a joined session; what it adds to approved work; and the
// part of a further repository.
func withAdditions(judge judgement) judgement {
	return func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
		f, err := judge(ctx, j, c)
		if err != nil {
			return f, err
		}
		m := c.Message
		person := c.person()
		if f, err = j.Objections.Add(ctx, m, person, f); err != nil {
			return f, err
		}
		if f, err = j.Objections.AddWithdrawal(ctx, person, f); err != nil {
			return f, err
		}
		if f, err = j.Held.Reopen(ctx, m, person, f); err != nil {
			return f, err
		}
		if f, err = j.Duplicates.Unjoin(ctx, f); err != nil {
			return f, err
		}
		if f, err = j.Held.Amend(ctx, m, person, otherThreads{j}.listen(f)); err != nil {
			return f, err
		}
		if f, err = j.welcome(ctx, c, f); err != nil {
			return f, err
		}
		return j.addPart(ctx, c, f)
	}
}

// judgeToColleague judges a message that is for another person. It is no word to the bot, but what it has
// against approved work keeps that from being pushed, if its writer may take part.
func (j *Judge) judgeToColleague(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	refused, err := j.Objections.RefusedToColleague(ctx, m)
	if err != nil || refused == nil {
		return j.Ignore(m), err
	}
	person := c.person()
	if err := get(c, &c.writer).err; err != nil {
		return nil, fmt.Errorf("read who wrote to a colleague: %w", err)
	}
	if person.ExclusionReason() != "" {
		return j.Ignore(m), nil
	}
	objects, err := j.Objections.ToColleague(ctx, m, person, refused)
	return append(j.Ignore(m), objects...), err
}

// judgeReaction judges a reaction of a person who may take part.
func (j *Judge) judgeReaction(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	person := c.person()
	if err := get(c, &c.writer).err; err != nil {
		return nil, fmt.Errorf("read who reacted: %w", err)
	}
	if person.ExclusionReason() != "" {
		return j.Ignore(m), nil
	}
	return j.Objections.Reacted(ctx, m, person)
}

// writer looks up in Slack who sent a message, after the message came. For plain replies, each author is
// looked up once in a JudgeAll, since Slack allows some hundred such calls a minute. For every message
// that may permit something, the author is looked up separately.
func (j *Judge) writer(ctx context.Context, m intent.Message) (workflow.Person, error) {
	plain := m.Kind == workflow.MessageReply && !m.Says.Decides() && m.App() == ""
	if p, known := j.writers[m.User]; known && plain {
		return p, nil
	}
	p, err := j.Slack.Person(ctx, j.Session().Thread, m.User)
	if err == nil && plain && j.writers != nil {
		j.writers[m.User] = p
	}
	p.Via = m.App()
	return p, err
}
